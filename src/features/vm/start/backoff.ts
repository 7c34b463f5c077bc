import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineStartFailure } from '#api/kubevirt/v1/virtual-machine.ts'
import { timestamp } from '#runtime/clock.ts'
import type { RunStrategy } from '../spec/run-strategy.ts'

/** Seconds. KubeVirt's numbers: 10, 40, 90, 160, 250, then always 300. */
const longestDelay = 300
const firstDelay = 10

/**
 * Seconds to wait after the n-th start in a row that failed. `random` in [0, 1) spreads VMs that
 * fail together.
 */
export function startDelaySeconds(failures: number, random: number): number {
  const base = Math.min(longestDelay, firstDelay * failures * failures)
  return base + Math.floor(random * (base / 2 + 1))
}

/** Facts on which the memory of failed starts depends. */
export interface StartOutcome {
  readonly strategy: RunStrategy
  readonly vmi: VirtualMachineInstance | undefined
  readonly previous: VirtualMachineStartFailure | undefined
  readonly nowMs: number
  readonly random: number
}

/**
 * What to remember of failed starts. Only guests that failed before they ever ran count, each once.
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

/** Milliseconds until the next start may be tried; 0 for at once. */
export function startDelayLeftMs(failure: VirtualMachineStartFailure | undefined, nowMs: number): number {
  const retryAt = failure?.retryAfterTimestamp
  return retryAt === undefined ? 0 : Math.max(0, Date.parse(retryAt) - nowMs)
}

function hasRun(vmi: VirtualMachineInstance): boolean {
  return (
    vmi.status?.phase === 'Running' || vmi.status?.phaseTransitionTimestamps?.some((transition) => transition.phase === 'Running') === true
  )
}
