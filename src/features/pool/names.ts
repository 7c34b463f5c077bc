import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'

/**
 * On pools and their VMs. A VM that is deleted stays until its disks are its own no longer, if the
 * pool preserves them.
 */
export const poolFinalizer = 'pool.kubevirt.io/finalizer'

/**
 * On VMs, their templates, and so on their VMIs: the ControllerRevision with the spec of the pool
 * that they were made from.
 */
export const revisionLabel = 'kubevirt.io/vm-pool-revision-name'

/** Returns the name of the VM with this ordinal. */
export function memberName(pool: KubeObject, ordinal: number): string {
  return `${pool.metadata?.name ?? ''}-${ordinal}`
}

/** Returns the ordinal in the name of a VM; 0 for a name without one. */
export function ordinalOf({ metadata }: KubeObject): number {
  return Number(/-(\d+)$/.exec(metadata?.name ?? '')?.[1] ?? 0)
}

/**
 * Returns the name of the pool that a VM belongs to, or belonged to: of a VM whose owner reference
 * is gone, its revision tells.
 */
export function poolNameOf(vm: KubeObject): string | undefined {
  const owner = controllerOf(vm)
  if (owner !== undefined) return owner.kind === virtualMachinePools.kind ? owner.name : undefined
  return vm.metadata?.labels?.[revisionLabel]?.replace(/-\d+$/, '')
}

/** Returns the name of the ControllerRevision with the current spec of the pool. */
export function revisionName({ metadata }: KubeObject): string {
  return `${metadata?.name ?? ''}-${metadata?.generation ?? 0}`
}
