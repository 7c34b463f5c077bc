import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'

/** Owner of captured revisions. */
export interface Holder {
  readonly apiVersion: string
  readonly kind: 'VirtualMachine' | 'VirtualMachineSnapshot' | 'VirtualMachineSnapshotContent'
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** Returns a VM as the owner of revisions. */
export function holderOf({ metadata }: VirtualMachine): Holder {
  const { name = '', namespace = '', uid = '' } = metadata
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', namespace, name, uid }
}

/** Returns a controller owner reference to a VM. */
export function ownerReferenceTo(vm: VirtualMachine): OwnerReference {
  return ownedBy(holderOf(vm))
}

/** See {@link ownerReferenceTo}. */
export function ownedBy({ apiVersion, kind, name, uid }: Holder): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}
