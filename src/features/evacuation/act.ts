import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { Guest, Plan } from './decide.ts'
import { buildMigration } from './attempts/build-migration.ts'
import type { Ports } from './ports.ts'

/** Cancels and creates migrations. */
export async function act(ports: Ports, nodeName: string, guest: Guest, plan: Plan): Promise<void> {
  for (const migration of plan.cancelled) await cancel(ports, guest, migration)
  if (plan.migrates) await move(ports, guest, buildMigration(guest, nodeName, plan.selector), nodeName)
}

async function move(
  { client, recorder }: Ports,
  guest: Guest,
  migration: VirtualMachineInstanceMigration,
  nodeName: string,
): Promise<void> {
  try {
    await client.create<VirtualMachineInstanceMigration>(virtualMachineInstanceMigrations, migration)
  } catch (error) {
    // Created in an earlier pass; the cache will show it.
    if (isAlreadyExists(error)) return
    recorder.event(
      guest.vmi,
      'Warning',
      'FailedCreate',
      `Cannot create the migration that evacuates the guest from node ${nodeName}: ${String(error)}`,
    )
    throw error
  }
  recorder.event(guest.vmi, 'Normal', 'SuccessfulCreate', `Created evacuation migration ${migration.metadata.name}`)
}

async function cancel({ client, recorder }: Ports, { vmi }: Guest, { metadata }: VirtualMachineInstanceMigration): Promise<void> {
  const { name = '', namespace = '', uid } = metadata
  try {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    await client.delete(virtualMachineInstanceMigrations, { namespace, name }, preconditions)
    recorder.event(vmi, 'Normal', 'SuccessfulDelete', `Cancelled evacuation migration ${name}: the guest need not leave its node`)
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
