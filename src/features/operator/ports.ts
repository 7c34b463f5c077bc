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
import type { Clock } from '#runtime/clock/clock.ts'
import type { Recorder } from '#runtime/recorder/recorder.ts'
import type { ReadReleaseContents } from './install/release-contents.ts'
import type { UnbundledObject } from './install/unbundled-objects.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { MonitoringKinds } from './monitoring/monitoring-kinds.ts'
import type { Preflight } from './rollout/preflight.ts'
import type { Platform } from '#runtime/process/platform.ts'

/** Dependencies of the reconciler. */
export interface OperatorPorts {
  readonly client: Client
  readonly kubevirts: Lister<KubeVirt>
  readonly deployments: Lister<Deployment>
  readonly daemonSets: Lister<DaemonSet>
  readonly services: Lister<Service>
  /** Pods of the components. */
  readonly pods: Lister<Pod>
  readonly nodes: Lister<Node>
  readonly recorder: Pick<Recorder, 'event'>
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly platform: Platform
  /** Version and registry to install when the KubeVirt object names none. */
  readonly own: { readonly version: string; readonly registry: string }
  readonly namespace: string
  /** Milliseconds that the first new pod must have been ready before others follow. */
  readonly soakMs: number
  /** Milliseconds that a new pod may take to become ready. */
  readonly deadlineMs: number
  /** Milliseconds for which objects that only older versions need are kept after an upgrade. */
  readonly contractAfterMs: number
  readonly contents: ReadReleaseContents
  readonly clusterRoles: Lister<ClusterRole>
  readonly clusterRoleBindings: Lister<ClusterRoleBinding>
  /** Roles in the system's namespace. */
  readonly roles: Lister<Role>
  /** Role bindings in the system's namespace. */
  readonly roleBindings: Lister<RoleBinding>
  /** Metadata of all CRDs. */
  readonly definitions: Lister<KubeObject>
  readonly validatingWebhooks: Lister<ValidatingWebhookConfiguration>
  readonly mutatingWebhooks: Lister<MutatingWebhookConfiguration>
  readonly apiServices: Lister<APIService>
  /** PEM bundle of the CAs that signed serving certificates; undefined until there is one. */
  readonly bundle: () => string | undefined
  /** Objects that virt-operator applies itself where OLM has installed it. */
  readonly unbundled: readonly UnbundledObject[]
  /** Objects of the Prometheus operator. */
  readonly monitoring: MonitoringKinds
  /** URL of the page of an alert, with `%s` for its name. Default: pages of the repository. */
  readonly runbookTemplate?: string
  /** Checks that run before an upgrade. */
  readonly preflight: readonly Preflight[]
}
