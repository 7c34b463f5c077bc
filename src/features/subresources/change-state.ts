import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import type { Change, ObservedVm, StateOptions } from './lifecycle.ts'
import { invalidBody, parseOptions, readDryRun } from './parse-body.ts'
import { getMachine } from './virtual-machine-subject.ts'

type StateClient = Pick<Client, 'get' | 'patch'>

/** Attempts after conflicts with the controllers. */
const attempts = 5

/**
 * Handles `PUT virtualmachines/<name>/start|stop|restart`. Records the request, which the VM
 * controller acts on. `check` refuses options before the VM is read.
 */
export function changeState(
  client: StateClient,
  decide: (machine: ObservedVm, options: StateOptions) => readonly Change[],
  check: (options: StateOptions) => void = () => {},
): AggregatedHandler {
  return async ({ namespace, name, body, signal }) => {
    const options = readOptions(body)
    check(options)
    const { dryRun } = options
    for (let attempt = 1; ; attempt += 1) {
      const vm = await getMachine(client, namespace, name, signal)
      const changes = decide({ vm, vmi: await findVmi(client, namespace, name) }, options)
      try {
        await applyChanges(client, vm, { changes, dryRun })
        return { code: 202 }
      } catch (error) {
        if (!isConflict(error) || attempt === attempts) throw error
      }
    }
  }
}

function readOptions(body: string): StateOptions & { readonly dryRun: boolean } {
  const sent = parseOptions(body)
  const { paused, gracePeriod, gracePeriodSeconds } = sent
  // An ignored value would start the guest instead of leaving it paused.
  if (paused !== undefined && paused !== null && typeof paused !== 'boolean') throw invalidBody('paused must be true or false')
  return {
    ...(paused === true ? { paused } : {}),
    ...secondsOf('gracePeriod', gracePeriod),
    ...secondsOf('gracePeriodSeconds', gracePeriodSeconds),
    dryRun: readDryRun(sent),
  }
}

function secondsOf(key: string, value: unknown): Readonly<Record<string, number>> {
  if (value === undefined || value === null) return {}
  if (Number.isSafeInteger(value)) return { [key]: value as number }
  throw invalidBody(`${key} must be a whole number`)
}

function findVmi(client: StateClient, namespace: string, name: string): Promise<VirtualMachineInstance | undefined> {
  return found(client.get(virtualMachineInstances, { namespace, name }))
}

/**
 * Applies the changes, each guarded by the version it was decided on. When one fails, a changed
 * grace period is restored.
 */
async function applyChanges(
  client: StateClient,
  vm: VirtualMachine,
  { changes, dryRun }: { readonly changes: readonly Change[]; readonly dryRun: boolean },
): Promise<void> {
  let current = vm
  const undo: (() => Promise<unknown>)[] = []
  try {
    for (const change of changes) {
      if (change.kind === 'grace') {
        const changed = await setGrace(client, change.vmi, { seconds: change.seconds, dryRun })
        if (!dryRun) undo.push(() => setGrace(client, changed, { seconds: change.vmi.spec.terminationGracePeriodSeconds ?? null, dryRun }))
      } else current = await patchVm(client, current, { change, dryRun })
    }
  } catch (error) {
    // The first error is the one to report.
    for (const step of undo) await step().catch(() => {})
    throw error
  }
}

function setGrace(
  client: StateClient,
  vmi: VirtualMachineInstance,
  { seconds, dryRun }: { readonly seconds: number | null; readonly dryRun: boolean },
): Promise<VirtualMachineInstance> {
  return patchIfUnchanged(client, virtualMachineInstances, vmi, { spec: { terminationGracePeriodSeconds: seconds } }, { dryRun })
}

function patchVm(
  client: StateClient,
  vm: VirtualMachine,
  { change, dryRun }: { readonly change: Exclude<Change, { kind: 'grace' }>; readonly dryRun: boolean },
): Promise<VirtualMachine> {
  if (change.kind === 'strategy') {
    const spec = vm.spec.running === undefined ? { runStrategy: change.run ? 'Always' : 'Halted' } : { running: change.run }
    return patchIfUnchanged(client, virtualMachines, vm, { spec }, { dryRun })
  }
  // A request of a user ends the back-off.
  const status = { stateChangeRequests: change.requests, startFailure: null }
  return patchIfUnchanged(client, virtualMachines, vm, { status }, { dryRun, subresource: 'status' })
}
