import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { CaptureFailed, describeConflicts, expandVirtualMachine, findMatchedObjects } from '#features/instancetype/index.ts'
import type { Failure } from '../status/conditions.ts'
import type { Ports } from '../ports.ts'

/**
 * Reports whether the cluster's reference policy asks for this VM's hardware in its spec instead of
 * references. The only case in which a controller writes a user's spec. Under `expand` a VM with
 * captured revisions keeps them.
 */
export function mustExpandSpec({ spec, status }: VirtualMachine, { referencePolicy }: ClusterConfig): boolean {
  if (referencePolicy === 'reference' || (spec.instancetype === undefined && spec.preference === undefined)) return false
  const hasRevision = [status?.instancetypeRef, status?.preferenceRef].some((ref) => (ref?.controllerRevisionRef?.name ?? '') !== '')
  return referencePolicy === 'expandAll' || !hasRevision
}

/**
 * Writes the expanded hardware into the VM's spec and removes its matchers, in one write. What
 * follows is the same as for any VM that loses its matchers: capture removes the references from
 * the status, and pruning deletes the revisions.
 */
export async function expandSpec(ports: Ports, vm: VirtualMachine): Promise<{ vm: VirtualMachine; failure: Failure | undefined }> {
  try {
    const inForce = await findMatchedObjects(ports.lookup, vm)
    const expanded = expandVirtualMachine(vm, inForce.instancetype?.object, inForce.preference?.object, ports.config(), {
      keepsGuest: true,
    })
    if (expanded.conflicts !== undefined) return { vm, failure: unexpandable(describeConflicts(expanded.conflicts)) }
    const spec = createMergePatch(vm.spec, expanded.vm.spec)
    return { vm: await patchIfUnchanged(ports.client, virtualMachines, vm, { spec }), failure: undefined }
  } catch (error) {
    if (!(error instanceof CaptureFailed)) throw error
    return { vm, failure: { reason: error.reason, message: error.message } }
  }
}

/** KubeVirt's text. */
function unexpandable(why: string): Failure {
  const message = `unsupported error: error encountered while expanding into VirtualMachine: ${why}`
  return { reason: 'UnsupportedSyncError', message }
}
