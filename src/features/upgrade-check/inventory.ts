import type { ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePreference } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { MigrationPolicy } from '#api/migrations/v1alpha1/migration-policy.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { hyperConvergedKey, type RenderedPlatform } from '#features/hyperconverged/index.ts'
import type { PatchUnusable } from '#features/operator/index.ts'
import type { RevisionReport } from '#features/revision-report/index.ts'
import type { ReleaseFacts } from './release-facts.ts'

/** The upgrade that is checked. */
export interface UpgradeSubject {
  /** Requested version. */
  readonly to: string
  /** Available releases, which should include the requested and the installed one. */
  readonly releases: readonly ReleaseFacts[]
  /** Set when the requested release is damaged. */
  readonly damage?: { readonly message: string; readonly command: string }
  /** Objects that the requested release installs. */
  readonly objects: readonly KubeObject[]
  /** Roles of its components. */
  readonly access: readonly KubeObject[]
  /** Patches that cannot be applied to its objects. */
  readonly patchProblems: readonly Pick<PatchUnusable, 'index' | 'message'>[]
  /** CRDs of the requested release. */
  readonly nextDefinitions: readonly CustomResourceDefinition[]
}

/** Objects that were read from the cluster. */
export interface UpgradeLists {
  readonly kubevirts: readonly KubeVirt[]
  readonly vms: readonly VirtualMachine[]
  readonly guests: readonly VirtualMachineInstance[]
  /** Both cluster-wide and namespaced. */
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
  readonly hyperconvergeds: readonly HyperConverged[]
  readonly overrides: readonly ComponentOverride[]
}

/** A right of a user. */
export interface Right {
  readonly group: string
  /** With subresource: `kubevirts/status`. */
  readonly resource: string
  readonly verb: string
  /** Undefined for all objects. */
  readonly name?: string
  /** Undefined for all namespaces. */
  readonly namespace?: string
}

/**
 * Splits the resource of a right. A subresource can have a slash itself:
 * `virtualmachines/evacuate/cancel`.
 */
export function splitResource(resource: string): { readonly plural: string; readonly subresource?: string } {
  const slash = resource.indexOf('/')
  return slash === -1 ? { plural: resource } : { plural: resource.slice(0, slash), subresource: resource.slice(slash + 1) }
}

/** Input of all checks. */
export interface UpgradeInventory extends UpgradeSubject, UpgradeLists {
  /** The KubeVirt object in force. */
  readonly kubevirt: KubeVirt
  readonly config: ClusterConfig
  /** Undefined when revisions could not be read. */
  readonly revisions: RevisionReport | undefined
  /** The installing user and the rights that it lacks. */
  readonly operator: { readonly user: string; readonly missing: readonly Right[] }
  /** Components as the requested release renders them; undefined without overrides. */
  readonly platform: RenderedPlatform | undefined
  /** Errors of failed reads. */
  readonly gaps: readonly string[]
  readonly nowMs: number
}

/** Returns the installed version; undefined before the first installation. */
export function currentVersion({ kubevirt }: Pick<UpgradeInventory, 'kubevirt'>): string | undefined {
  return kubevirt.status?.observedKubeVirtVersion
}

/** Returns the facts about a version. */
export function releaseOf({ releases }: Pick<UpgradeInventory, 'releases'>, version: string | undefined): ReleaseFacts | undefined {
  return releases.find((release) => release.version === version)
}

/** Returns the HyperConverged object in force. */
export function hyperConvergedOf({ hyperconvergeds }: Pick<UpgradeInventory, 'hyperconvergeds'>): HyperConverged | undefined {
  const { namespace, name } = hyperConvergedKey
  return hyperconvergeds.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
}

/** Name and namespace of the KubeVirt object for kubectl. */
export function kubevirtPlace({ kubevirt }: Pick<UpgradeInventory, 'kubevirt'>): { readonly object: string; readonly namespace: string } {
  return { object: `kubevirt/${kubevirt.metadata.name ?? ''}`, namespace: kubevirt.metadata.namespace ?? '' }
}
