import { virtualMachineSubresources } from '#api/kubevirt/v1/subresources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isConflict, isNotFound, messageOf } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { waitFor } from '../../objects/wait.ts'
import type { TaskContext } from '../../task.ts'

/** A VM by its name. */
export interface VmKey {
  readonly namespace: string
  readonly name: string
}

type Ports = Pick<TaskContext, 'client' | 'clock' | 'log' | 'signal'>

/** How long a guest takes that is asked to power off, when it says nothing else. */
const defaultGraceSeconds = 180
/** Beyond the grace of the guest. */
const stopMarginMs = 300_000
const deletionLimitMs = 600_000

/** Starts a VM. One that starts already is fine. @throws TaskFailed */
export async function startVm({ client, log, signal }: Ports, key: VmKey): Promise<void> {
  log(`Starting VM ${key.namespace}/${key.name}`)
  try {
    await client.update(virtualMachineSubresources, { metadata: key }, { subresource: 'start', signal })
  } catch (error) {
    if (isNotFound(error))
      throw new TaskFailed(exitCodes.preconditionFailed, `There is no VM ${key.namespace}/${key.name}`, { cause: error })
    if (!isConflict(error))
      throw new TaskFailed(exitCodes.startFailed, `Cannot start VM ${key.namespace}/${key.name}: ${messageOf(error)}`, { cause: error })
    log(`It is not started by this task: ${messageOf(error)}`)
  }
}

/** Waits until the guest of a VM runs, and starts the VM when it does not. @throws TaskFailed */
export async function ensureRunning(ports: Ports, key: VmKey, limitMs: number): Promise<void> {
  const { client, signal } = ports
  let isStarted = false
  await waitFor(ports, {
    what: `the guest of VM ${key.namespace}/${key.name} to run`,
    limitMs,
    check: async () => {
      const vmi = await found(client.get(virtualMachineInstances, key, { signal }))
      if (vmi?.status?.phase === 'Running' && vmi.metadata.deletionTimestamp === undefined) return { done: undefined }
      if (!isStarted && hasEnded(vmi)) {
        isStarted = true
        await startVm(ports, key)
      }
      return { waiting: vmi === undefined ? await statusOf(ports, key) : `its phase is ${vmi.status?.phase ?? 'Pending'}` }
    },
  })
}

function hasEnded(vmi: VirtualMachineInstance | undefined): boolean {
  return vmi === undefined || vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed'
}

async function statusOf({ client, signal }: Ports, key: VmKey): Promise<string> {
  const vm = await found(client.get(virtualMachines, key, { signal }))
  return vm === undefined ? 'it does not exist' : `its status is ${vm.status?.printableStatus ?? 'unknown'}`
}

/** Asks a VM to stop. One that is stopped or gone is fine. */
export async function requestStop({ client, log, signal }: Ports, key: VmKey): Promise<void> {
  log(`Stopping VM ${key.namespace}/${key.name}`)
  try {
    await client.update(virtualMachineSubresources, { metadata: key }, { subresource: 'stop', signal })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
    log(`Nothing to stop: ${messageOf(error)}`)
  }
}

/** Waits until the guest of a VM has ended. @throws TaskFailed */
export async function untilStopped(ports: Ports, key: VmKey): Promise<void> {
  const { client, signal } = ports
  const vmi = await found(client.get(virtualMachineInstances, key, { signal }))
  const graceMs = (vmi?.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds) * 1_000
  await waitFor(ports, {
    what: `the guest of VM ${key.namespace}/${key.name} to end`,
    limitMs: graceMs + stopMarginMs,
    check: async () => {
      const now = await found(client.get(virtualMachineInstances, key, { signal }))
      return hasEnded(now) ? { done: undefined } : { waiting: `its phase is ${now?.status?.phase ?? 'Pending'}` }
    },
  })
}

/** Requests the deletion of a VM. One that is gone is fine. */
export async function requestDeletion({ client, log, signal }: Ports, key: VmKey): Promise<void> {
  log(`Deleting VM ${key.namespace}/${key.name}`)
  try {
    await client.delete(virtualMachines, key, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
    log('It does not exist')
  }
}

/** Waits until a VM is deleted. @throws TaskFailed */
export async function untilDeleted(ports: Ports, key: VmKey): Promise<void> {
  const { client, signal } = ports
  await waitFor(ports, {
    what: `the deletion of VM ${key.namespace}/${key.name}`,
    limitMs: deletionLimitMs,
    check: async () => {
      const vm = await found(client.get(virtualMachines, key, { signal }))
      if (vm === undefined) return { done: undefined }
      const finalizers = vm.metadata.finalizers ?? []
      return { waiting: finalizers.length === 0 ? 'it still exists' : `its finalizers are ${finalizers.join(', ')}` }
    },
  })
}
