import type { ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePreference } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { MigrationPolicy } from '#api/migrations/v1alpha1/migration-policy.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import type { PatchUnusable } from '#features/operator/index.ts'
import type { RevisionReport } from '#features/revision-report/index.ts'
import type { ReleaseFacts } from './release-facts.ts'

/** What is to be checked, as it was handed over. */
export interface UpgradeSubject {
  /** Version that is asked for. */
  readonly to: string
  /**
   * Releases that are at hand, among them, if all is well, the one that is asked for and the one
   * that is there.
   */
  readonly releases: readonly ReleaseFacts[]
  /** The release that is asked for is there, and not as it was built. */
  readonly damage?: { readonly message: string; readonly command: string }
  /** What the release that is asked for would install. */
  readonly objects: readonly KubeObject[]
  /** What it would grant to its components. */
  readonly access: readonly KubeObject[]
  /** Patches that cannot be applied to its objects. */
  readonly patchProblems: readonly Pick<PatchUnusable, 'index' | 'message'>[]
}

/** Lists of a cluster. */
export interface UpgradeLists {
  readonly kubevirts: readonly KubeVirt[]
  readonly vms: readonly VirtualMachine[]
  readonly guests: readonly VirtualMachineInstance[]
  /** Of the cluster and of namespaces. */
  readonly preferences: readonly VirtualMachinePreference[]
  readonly policies: readonly MigrationPolicy[]
  readonly definitions: readonly CustomResourceDefinition[]
  readonly nodes: readonly Node[]
  readonly namespaces: readonly Namespace[]
  readonly pods: readonly Pod[]
  readonly quotas: readonly ResourceQuota[]
  readonly budgets: readonly PodDisruptionBudget[]
  readonly deployments: readonly Deployment[]
  readonly validatingWebhooks: readonly ValidatingWebhookConfiguration[]
  readonly mutatingWebhooks: readonly ValidatingWebhookConfiguration[]
  readonly endpoints: readonly EndpointSlice[]
}

/** Something that a user may or may not do. */
export interface Right {
  readonly group: string
  /** With subresource: `kubevirts/status`. */
  readonly resource: string
  readonly verb: string
  /** Undefined: with every object. */
  readonly name?: string
  /** Undefined: in all of them. */
  readonly namespace?: string
}

/** All that a check is made of. */
export interface UpgradeWorld extends UpgradeSubject, UpgradeLists {
  /** The object that counts. */
  readonly kubevirt: KubeVirt
  readonly config: ClusterConfig
  /** Undefined: copies of instance types could not be read. */
  readonly revisions: RevisionReport | undefined
  /** Who installs, and what that user needs and may not do. */
  readonly operator: { readonly user: string; readonly missing: readonly Right[] }
  /** What could not be seen, in words. */
  readonly gaps: readonly string[]
  readonly nowMs: number
}

/** Version that is installed; undefined when none is yet. */
export function currentVersion({ kubevirt }: Pick<UpgradeWorld, 'kubevirt'>): string | undefined {
  return kubevirt.status?.observedKubeVirtVersion
}

/** What is known of a version. */
export function releaseOf({ releases }: Pick<UpgradeWorld, 'releases'>, version: string | undefined): ReleaseFacts | undefined {
  return releases.find((release) => release.version === version)
}

/** How kubectl is told of the KubeVirt object. */
export function kubevirtPlace({ kubevirt }: Pick<UpgradeWorld, 'kubevirt'>): { readonly object: string; readonly namespace: string } {
  return { object: `kubevirt/${kubevirt.metadata.name ?? ''}`, namespace: kubevirt.metadata.namespace ?? '' }
}
