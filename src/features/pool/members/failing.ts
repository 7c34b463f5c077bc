import type { VirtualMachinePrintableStatus, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachinePoolAutohealingStrategy } from '#api/pool/v1beta1/virtual-machine-pool.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { findCondition } from '#apimachinery/conditions.ts'

const defaultThreshold = 3
const defaultDurationMs = 5 * 60_000

/** States in which a VM cannot start. */
const failing: readonly (VirtualMachinePrintableStatus | undefined)[] = [
  'CrashLoopBackOff',
  'ErrorUnschedulable',
  'DataVolumeError',
  'ErrorPvcNotFound',
  'ErrImagePull',
  'ImagePullBackOff',
]

/**
 * Returns the milliseconds until a VM has failed to start for long enough to be replaced: 0 for
 * now, undefined for one that does not fail. Pure. `now` is in milliseconds since the epoch.
 */
export function msUntilReplaced(vm: VirtualMachine, strategy: VirtualMachinePoolAutohealingStrategy, now: number): number | undefined {
  const { startFailure, printableStatus, conditions } = vm.status ?? {}
  if ((startFailure?.consecutiveFailCount ?? 0) >= (strategy.startUpFailureThreshold ?? defaultThreshold)) return 0
  const ready = findCondition(conditions, 'Ready')
  if (!failing.includes(printableStatus) || ready?.status !== 'False') return undefined
  const since = Date.parse(ready.lastTransitionTime ?? '') || now
  const patience = durationMs(strategy.minFailingToStartDuration ?? '') ?? defaultDurationMs
  return Math.max(0, since + patience - now)
}
