import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isAlreadyExists, isConflict, isNotFound, StatusError } from '#apimachinery/errors.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { removeFinalizer } from './finalizer.ts'
import { liveUpdatePatch } from './live-update/vmi-patch.ts'
import { actOnDump } from './memory-dump/act.ts'
import { decideDump } from './memory-dump/decide.ts'
import type { Ports } from './ports.ts'
import { report } from './report.ts'
import { prune } from './revisions/prune.ts'
import { buildVmi } from './start/build-vmi.ts'
import { deleteFormerStartRevisions, deleteIdleStartRevisions, startRevisionsOf, storeStartRevision } from './start/start-revision.ts'
import type { Pass, Step } from './steps.ts'

/** Takes one step, and returns the pass with what it has changed. */
export async function act(ports: Ports, pass: Pass, step: Step): Promise<Pass> {
  switch (step.kind) {
    case 'start':
      return start(ports, pass, step)
    case 'stop':
      await stop(ports, pass.vm, step.vmi)
      return pass
    case 'release':
      await removeFinalizer(ports, pass.vm)
      return pass
    case 'updateLive':
      return { ...pass, vmi: await updateLive(ports, step) }
    case 'postponeUpdate':
      return { ...pass, failure: pass.failure ?? step.failure }
    case 'dumpMemory': {
      // A live update may have changed the volumes of the VMI.
      const dump = decideDump(pass.vm.status?.memoryDumpRequest, pass.vmi)
      const { vmi, failure } = await actOnDump(ports, pass, dump)
      return { ...pass, vmi, failure: pass.failure ?? failure, dump }
    }
    case 'report':
      await report(ports, pass)
      return pass
    case 'deleteStartRevisions':
      await deleteIdleStartRevisions(ports, pass.vm)
      return pass
    case 'prune':
      await prune(ports, pass.vm)
      return pass
  }
}

async function start(ports: Ports, pass: Pass, { paused, expansion }: Extract<Step, { kind: 'start' }>): Promise<Pass> {
  const { vm } = pass
  const former = startRevisionsOf(ports, vm)
  const startRevision = await storeStartRevision(ports, vm)
  const vmi = buildVmi(vm, expansion, { startRevision, paused, now: timestamp(ports.clock.now()) })
  let created: VirtualMachineInstance
  try {
    created = await ports.client.create<VirtualMachineInstance>(virtualMachineInstances, vmi)
  } catch (error) {
    if (isAlreadyExists(error)) return startExisting(ports, pass)
    // Conflicts are retried and not reported as failures.
    if (isConflict(error) || !(error instanceof StatusError)) throw error
    return failedCreate(pass, `Error creating virtual machine instance: ${error.message}`)
  }
  const message = `Started the virtual machine by creating the new virtual machine instance ${vm.metadata.name}`
  ports.recorder.event(vm, 'Normal', 'SuccessfulCreate', message)
  await deleteFormerStartRevisions(ports, former, startRevision)
  return { ...pass, vmi: created }
}

/**
 * Takes the VMI of an earlier pass that the cache does not show yet; another owner's is a failure.
 */
async function startExisting(ports: Ports, pass: Pass): Promise<Pass> {
  const { name = '', namespace = '' } = pass.vm.metadata
  const vmi = await ports.client.get(virtualMachineInstances, { namespace, name })
  if (isControlledBy(vmi, pass.vm)) return { ...pass, vmi }
  return failedCreate(pass, `VirtualMachineInstance "${name}" exists already and does not belong to this VirtualMachine`)
}

function failedCreate(pass: Pass, message: string): Pass {
  return { ...pass, failure: { reason: 'FailedCreate', message } }
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

function updateLive({ client }: Ports, { vmi, expansion, fields }: Extract<Step, { kind: 'updateLive' }>): Promise<VirtualMachineInstance> {
  const { name = '', namespace = '' } = vmi.metadata
  const operations = liveUpdatePatch(vmi, expansion, fields)
  return client.patch(virtualMachineInstances, { namespace, name }, { type: 'json', operations })
}
