import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { HardwareStatus, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import type { Client } from '#client/client.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { summaryOf } from './summary.ts'

/** Dependencies of the reconciler. */
export interface SummaryPorts {
  readonly client: Pick<Client, 'patch'>
  readonly vms: Pick<Lister<VirtualMachine>, 'get'>
  readonly records: Pick<Lister<HardwareRecord>, 'get'>
}

/**
 * Copies a summary of the HardwareRecord to `status.steadyvm.hardware` of its VM, one write per
 * change.
 */
export function createHardwareSummaryReconciler({ client, vms, records }: SummaryPorts): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const vm = vms.get(namespace, name)
    if (vm === undefined || isBeingDeleted(vm)) return done
    const wanted = wantedStatus(vm, records.get(namespace, name))
    if (deepEqual(vm.status?.steadyvm?.hardware, wanted)) return done
    // No precondition: this controller owns the field.
    const body = { status: { steadyvm: { hardware: wanted ?? null } } }
    try {
      await client.patch(virtualMachines, { namespace, name }, { type: 'merge', body }, { subresource: 'status', signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    return done
  }
}

/** Ignores the record of a deleted VM of the same name. */
function wantedStatus(vm: VirtualMachine, record: HardwareRecord | undefined): HardwareStatus | undefined {
  const isOwn = record !== undefined && isOwnedBy(record, vm)
  return record !== undefined && isOwn ? summaryOf(record) : undefined
}
