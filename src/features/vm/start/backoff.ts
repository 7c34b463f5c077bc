import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineStartFailure } from '#api/kubevirt/v1/virtual-machine.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { RunStrategy } from '../spec/run-strategy.ts'

/** Seconds. KubeVirt's numbers: 10, 40, 90, 160, 250, then always 300. */
const longestDelay = 300
const firstDelay = 10

/**
 * Returns the seconds to wait after the n-th consecutive failed start. `random` in [0, 1) spreads
 * VMs that fail together.
 */
export function startDelaySeconds(failures: number, random: number): number {
  const base = Math.min(longestDelay, firstDelay * failures * failures)
  return base + Math.floor(random * (base / 2 + 1))
}

/** Facts that the record of failed starts is computed from. */
export interface StartOutcome {
  readonly strategy: RunStrategy
  readonly vmi: VirtualMachineInstance | undefined
  readonly previous: VirtualMachineStartFailure | undefined
  readonly nowMs: number
  readonly random: number
}

/**
 * Returns the record of failed starts for the VM's status. Counts guests that failed before they
 * ever ran, each once.
 */
export function nextStartFailure({ strategy, vmi, previous, nowMs, random }: StartOutcome): VirtualMachineStartFailure | undefined {
  if (strategy !== 'Always' && strategy !== 'RerunOnFailure' && strategy !== 'Once') return undefined
  if (vmi === undefined) return previous
  if (hasRun(vmi)) return undefined
  const uid = vmi.metadata.uid ?? ''
  if (vmi.status?.phase !== 'Failed' || previous?.lastFailedVMIUID === uid) return previous
  const consecutiveFailCount = (previous?.consecutiveFailCount ?? 0) + 1
  const retryAtMs = nowMs + startDelaySeconds(consecutiveFailCount, random) * 1000
  return { consecutiveFailCount, lastFailedVMIUID: uid, retryAfterTimestamp: timestamp(retryAtMs) }
}

/** Returns the milliseconds until the next start may be tried; 0 for now. */
export function startDelayLeftMs(failure: VirtualMachineStartFailure | undefined, nowMs: number): number {
  const retryAt = failure?.retryAfterTimestamp
  return retryAt === undefined ? 0 : Math.max(0, Date.parse(retryAt) - nowMs)
}

function hasRun(vmi: VirtualMachineInstance): boolean {
  return (
    vmi.status?.phase === 'Running' || vmi.status?.phaseTransitionTimestamps?.some((transition) => transition.phase === 'Running') === true
  )
}
