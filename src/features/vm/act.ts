import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Expansion } from '#features/instancetype/index.ts'
import { timestamp } from '#runtime/clock.ts'
import { buildVmi } from './start/build-vmi.ts'
import type { Action } from './decide.ts'
import { vmFinalizer } from './names.ts'
import type { Ports } from './ports.ts'
import { deleteFormerStartRevisions, startRevisionsOf, storeStartRevision } from './start/start-revision.ts'

/** A step of the VM's life could not be taken. `reason` is that of the VM's Failure condition. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly reason: 'FailedCreate' | 'FailedDelete'
  constructor(reason: StepFailed['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * Makes sure that the VM does not vanish while something of it is left. Gives the VM as it is then.
 */
export async function ensureFinalizer(ports: Pick<Ports, 'client'>, vm: VirtualMachine): Promise<VirtualMachine> {
  const finalizers = vm.metadata.finalizers ?? []
  return finalizers.includes(vmFinalizer) ? vm : writeFinalizers(ports, vm, [...finalizers, vmFinalizer])
}

/** Takes the step, and gives the VMI as it is then. @throws StepFailed */
export async function act(
  ports: Ports,
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  { action, expansion }: { readonly action: Action; readonly expansion: Expansion | undefined },
): Promise<VirtualMachineInstance | undefined> {
  switch (action.kind) {
    case 'start':
      return expansion === undefined ? vmi : start(ports, vm, { paused: action.paused, expansion })
    case 'stop':
      await stop(ports, vm, action.vmi)
      return vmi
    case 'release':
      await release(ports, vm)
      return undefined
    case 'none':
    case 'wait':
      return vmi
  }
}

async function start(
  ports: Ports,
  vm: VirtualMachine,
  { paused, expansion }: { readonly paused: boolean; readonly expansion: Expansion },
): Promise<VirtualMachineInstance> {
  const former = startRevisionsOf(ports, vm)
  const startRevision = await storeStartRevision(ports, vm)
  const vmi = buildVmi(vm, expansion, { startRevision, paused, now: timestamp(ports.clock.now()) })
  const created = await create(ports, vmi)
  if (created === undefined) return existing(ports, vm)
  const message = `Started the virtual machine by creating the new virtual machine instance ${vm.metadata.name}`
  ports.recorder.event(vm, 'Normal', 'SuccessfulCreate', message)
  await deleteFormerStartRevisions(ports, former, startRevision)
  return created
}

/** Undefined when there is one of the name. */
async function create({ client }: Ports, vmi: VirtualMachineInstance): Promise<VirtualMachineInstance | undefined> {
  try {
    return await client.create<VirtualMachineInstance>(virtualMachineInstances, vmi)
  } catch (error) {
    if (!isAlreadyExists(error)) throw failedCreate(error)
    return undefined
  }
}

/** The name is taken: by our own VMI, which the cache has not seen yet, or by somebody else's. */
async function existing(ports: Ports, vm: VirtualMachine): Promise<VirtualMachineInstance> {
  const { name = '', namespace = '' } = vm.metadata
  const vmi = await ports.client.get(virtualMachineInstances, { namespace, name })
  if (isControlledBy(vmi, vm)) return vmi
  throw new StepFailed('FailedCreate', `VirtualMachineInstance "${name}" exists already and does not belong to this VirtualMachine`)
}

function failedCreate(cause: unknown): unknown {
  // Who lost a race tries again; that is nobody's failure.
  if (isConflict(cause) || !(cause instanceof Error) || cause.name !== 'StatusError') return cause
  return new StepFailed('FailedCreate', `Error creating virtual machine instance: ${cause.message}`, { cause })
}

async function stop(ports: Ports, vm: VirtualMachine, vmi: VirtualMachineInstance): Promise<void> {
  const { name = '', namespace = '', uid } = vmi.metadata
  try {
    await ports.client.delete(virtualMachineInstances, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return
    throw error
  }
  const message = `Stopped the virtual machine by deleting the virtual machine instance ${uid}`
  ports.recorder.event(vm, 'Normal', 'SuccessfulDelete', message)
}

async function release(ports: Ports, vm: VirtualMachine): Promise<void> {
  const finalizers = vm.metadata.finalizers ?? []
  if (!finalizers.includes(vmFinalizer)) return
  try {
    await writeFinalizers(
      ports,
      vm,
      finalizers.filter((finalizer) => finalizer !== vmFinalizer),
    )
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** The resourceVersion makes sure that nobody else's finalizer is lost. */
function writeFinalizers(ports: Pick<Ports, 'client'>, vm: VirtualMachine, finalizers: readonly string[]): Promise<VirtualMachine> {
  return patchIfUnchanged(ports.client, virtualMachines, vm, { metadata: { finalizers } })
}
