import { isVmiFinal } from '#api/kubevirt/v1/phase.ts'
import type { VirtualMachine, VirtualMachineStateChangeRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { badRequest, conflict, type StatusError } from '#apimachinery/errors.ts'
import { runStrategyOf } from '#features/vm/index.ts'
import { virtualMachineSubject } from './virtual-machine-subject.ts'

const recoveryRequired =
  'VM recovery required: Volume migration failed, leaving some volumes pointing to non-consistent targets; manual intervention is needed to reassign them to their original volumes.'

/** Options of start, stop and restart. Grace periods are in seconds. */
export interface StateOptions {
  readonly paused?: boolean
  readonly gracePeriod?: number
  readonly gracePeriodSeconds?: number
}

/** A VM, and the VMI of its name. */
export interface ObservedVm {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance | undefined
}

/** A write, in the order of the list. */
export type Change =
  | { readonly kind: 'strategy'; readonly run: boolean }
  /** Replaces the pending requests to the VM controller. */
  | { readonly kind: 'requests'; readonly requests: readonly VirtualMachineStateChangeRequest[] }
  | { readonly kind: 'grace'; readonly vmi: VirtualMachineInstance; readonly seconds: number }

/** Decides what `start` changes. @throws StatusError 409 */
export function decideStart({ vm, vmi }: ObservedVm, { paused = false }: { readonly paused?: boolean }): readonly Change[] {
  if (isAlive(vmi) && !['', 'Unknown'].includes(vmi.status?.phase ?? '')) throw refuse(vm, 'VM is already running')
  if (isTrue(vm.status?.conditions, 'ManualRecoveryRequired')) throw refuse(vm, recoveryRequired)
  const strategy = runStrategyOf(vm)
  // A guest whose node does not answer is not stopped by a start.
  const ended = vmi !== undefined && isVmiFinal(vmi) ? vmi : undefined
  const start: VirtualMachineStateChangeRequest = { action: 'Start', ...(paused ? { data: { paused: 'true' } } : {}) }
  switch (strategy) {
    case 'Halted':
      // The request is written first: it must exist when the run strategy starts the VM.
      return [...(paused ? [requests(vm, [start])] : []), { kind: 'strategy', run: true }]
    case 'RerunOnFailure':
      if (vmi?.status?.phase === 'Failed') throw refuse(vm, `${strategy} does not support starting VM from failed state`)
      return [requests(vm, [...stopOf(ended), start])]
    case 'Manual':
      return [requests(vm, [...stopOf(ended), start])]
    case 'Always':
    case 'Once':
    case 'WaitAsReceiver':
      throw refuse(vm, `${strategy} does not support manual start requests`)
  }
}

/** Decides what `stop` changes. `gracePeriod` in seconds. @throws StatusError 409 */
export function decideStop({ vm, vmi }: ObservedVm, { gracePeriod }: { readonly gracePeriod?: number }): readonly Change[] {
  const alive = isAlive(vmi) ? vmi : undefined
  const grace: Change[] = alive === undefined || gracePeriod === undefined ? [] : [{ kind: 'grace', vmi: alive, seconds: gracePeriod }]
  const strategy = runStrategyOf(vm)
  switch (strategy) {
    case 'Halted': {
      if (alive === undefined) throw refuse(vm, 'VM is not running')
      const current = alive.spec.terminationGracePeriodSeconds ?? Infinity
      if (gracePeriod === undefined || gracePeriod >= current)
        throw refuse(vm, `${strategy} only supports manual stop requests with a shorter graceperiod`)
      return [...grace, requests(vm, stopOf(alive))]
    }
    case 'Manual':
    case 'RerunOnFailure':
      if (alive === undefined) throw refuse(vm, 'VM is not running')
      return [...grace, requests(vm, stopOf(alive))]
    case 'Always':
    case 'Once':
    case 'WaitAsReceiver':
      return [...grace, { kind: 'strategy', run: false }]
  }
}

/** Seconds of grace for a forced stop: with 0, it could not be told from a crash. */
const forcedSeconds = 1

/** Refuses options of `restart` and `stop`. @throws StatusError 400 in KubeVirt's words */
export function checkGracePeriod({ gracePeriod = 0, gracePeriodSeconds = 0 }: StateOptions): void {
  if (gracePeriodSeconds > 0) throw badRequest('For force restart, only gracePeriod=0 is supported for now')
  if (gracePeriodSeconds < 0 || gracePeriod < 0) throw badRequest('gracePeriod has to be greater or equal to 0')
}

/** Decides what `restart` changes. @throws StatusError 409 */
export function decideRestart(
  { vm, vmi }: ObservedVm,
  { gracePeriodSeconds }: { readonly gracePeriodSeconds?: number },
): readonly Change[] {
  if (isTrue(vm.status?.conditions, 'VolumesChange')) throw refuse(vm, recoveryRequired)
  const strategy = runStrategyOf(vm)
  // KubeVirt's spelling.
  if (strategy === 'Halted' || strategy === 'Once') throw refuse(vm, `RunStategy ${strategy} does not support manual restart requests`)
  if (vmi === undefined) throw refuse(vm, 'VM is not running: Halted')
  const grace: Change[] = gracePeriodSeconds === undefined ? [] : [{ kind: 'grace', vmi, seconds: forcedSeconds }]
  return [...grace, requests(vm, [...stopOf(vmi), { action: 'Start' }])]
}

function isAlive(vmi: VirtualMachineInstance | undefined): vmi is VirtualMachineInstance {
  return vmi !== undefined && !isVmiFinal(vmi)
}

function stopOf(vmi: VirtualMachineInstance | undefined): VirtualMachineStateChangeRequest[] {
  if (vmi === undefined) return []
  return [{ action: 'Stop', ...(vmi.metadata.uid === undefined ? {} : { uid: vmi.metadata.uid }) }]
}

/**
 * Returns the requests; a stop alone replaces pending requests, others are refused while one is
 * pending.
 */
function requests(vm: VirtualMachine, wanted: readonly VirtualMachineStateChangeRequest[]): Change {
  const pending = vm.status?.stateChangeRequests ?? []
  const isStop = wanted.length === 1 && wanted[0]?.action === 'Stop'
  if (pending.length > 0 && !isStop) throw refuse(vm, 'unable to complete request: stop/start already underway')
  return { kind: 'requests', requests: wanted }
}

function refuse(vm: VirtualMachine, why: string): StatusError {
  return conflict(virtualMachineSubject, vm.metadata.name ?? '', why)
}
