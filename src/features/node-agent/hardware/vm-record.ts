import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { controllerOf, isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import { found } from '#client/found.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import type { Ports } from '../guest/ports.ts'

/** Key of the VM that owns a guest. */
export interface VmKey {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly reference: OwnerReference
}

/** Returns the owning VM. A VMI without VM starts once and has no record. */
export function vmOf(vmi: VirtualMachineInstance): VmKey | undefined {
  const reference = controllerOf(vmi)
  if (reference?.kind !== 'VirtualMachine') return undefined
  return { namespace: vmi.metadata.namespace ?? '', name: reference.name, uid: reference.uid, reference }
}

/** Returns the VM's record. A record of a deleted VM of the same name is ignored. */
export async function storedRecord({ client }: Pick<Ports, 'client'>, key: VmKey): Promise<HardwareRecord | undefined> {
  const record = await found(client.get(hardwareRecords, { namespace: key.namespace, name: key.name }))
  return record !== undefined && isOwnedBy(record, { metadata: key }) ? record : undefined
}
