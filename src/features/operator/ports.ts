import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '#api/rbac/v1/role.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { ReadReleaseContents } from './install/release-contents.ts'
import type { Preflight } from './rollout/preflight.ts'
import type { Platform } from './manifests/install-strategy.ts'

/** What the reconciler needs from the world. */
export interface OperatorPorts {
  readonly client: Client
  readonly kubevirts: Lister<KubeVirt>
  readonly deployments: Lister<Deployment>
  readonly daemonSets: Lister<DaemonSet>
  readonly services: Lister<Service>
  /** Of the components. */
  readonly pods: Lister<Pod>
  readonly nodes: Lister<Node>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly platform: Platform
  /** Installed when the object names no other. */
  readonly own: { readonly version: string; readonly registry: string }
  readonly namespace: string
  /** How long the first agent of a version must have been well before others follow. */
  readonly soakMs: number
  /** How long the first agent of a version may take to be ready. */
  readonly deadlineMs: number
  /** For how long what only older versions need is kept when a newer one is in place. */
  readonly contractAfterMs: number
  readonly contents: ReadReleaseContents
  readonly clusterRoles: Lister<ClusterRole>
  readonly clusterRoleBindings: Lister<ClusterRoleBinding>
  /** Of the system's namespace. */
  readonly roles: Lister<Role>
  /** The same. */
  readonly roleBindings: Lister<RoleBinding>
  /** All that there are, without what they define. */
  readonly definitions: Lister<KubeObject>
  readonly validatingWebhooks: Lister<ValidatingWebhookConfiguration>
  readonly mutatingWebhooks: Lister<MutatingWebhookConfiguration>
  readonly apiServices: Lister<APIService>
  /** PEM bundle by which servers are believed; undefined until there is one. */
  readonly bundle: () => string | undefined
  /** Who looks at the cluster before an upgrade. */
  readonly preflight: readonly Preflight[]
}
