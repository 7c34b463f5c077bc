import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'

/** Who pins an instance type or preference. */
export interface Holder {
  readonly apiVersion: string
  readonly kind: 'VirtualMachine' | 'VirtualMachineSnapshot' | 'VirtualMachineSnapshotContent'
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** A VM, as somebody who pins. */
export function holderOf({ metadata }: VirtualMachine): Holder {
  const { name = '', namespace = '', uid = '' } = metadata
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', namespace, name, uid }
}

/** Makes the VM the managing owner of an object. */
export function ownerReferenceTo(vm: VirtualMachine): OwnerReference {
  return ownedBy(holderOf(vm))
}

/** See {@link ownerReferenceTo}. */
export function ownedBy({ apiVersion, kind, name, uid }: Holder): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}
