import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { addFinalizer } from '../finalizer.ts'
import { createDataVolumes } from '../data-volumes/create-data-volumes.ts'
import type { Ports } from '../ports.ts'
import { expandSpec, mustExpandSpec } from './expand-spec.ts'
import { inferFromVolume } from './infer-from-volume.ts'
import { captureRevisions, type Prepared } from './pin.ts'

/** Writes something that must be stored before the VM is decided on. */
type Preparation = (ports: Ports, prepared: Prepared) => Promise<Prepared>

/** The preparations of each pass, in order. The first failure ends them. */
const preparations: readonly Preparation[] = [
  async (ports, prepared) => ({ ...prepared, vm: await addFinalizer(ports, prepared.vm) }),
  async (ports, prepared) => ({ ...prepared, ...(await inferFromVolume(ports, prepared.vm)) }),
  async (ports, prepared) =>
    mustExpandSpec(prepared.vm, ports.config()) ? { ...prepared, ...(await expandSpec(ports, prepared.vm)) } : prepared,
  captureRevisions,
  createDataVolumes,
]

/** Returns a VM before any preparation. */
export function unprepared(vm: VirtualMachine): Prepared {
  return { vm, inForce: undefined, expansion: undefined, failure: undefined }
}

/** Stores finalizer and revisions, which a start depends on. */
export async function prepare(ports: Ports, vm: VirtualMachine): Promise<Prepared> {
  let prepared = unprepared(vm)
  for (const step of preparations) {
    if (prepared.failure === undefined) prepared = await step(ports, prepared)
  }
  return prepared
}
