import type {
  VirtualMachineInstance,
  VirtualMachineInstanceCondition,
  VirtualMachineInstanceStatus,
} from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { setCondition, removeCondition } from '#apimachinery/conditions.ts'
import { enterPhase } from '#features/vmi/index.ts'
import { done } from '#runtime/controller/reconcile.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import type { Ending } from './ending.ts'
import { patchStatus } from './patch-status.ts'
import type { Ports } from './ports.ts'
import { finish, type Progress } from './progress.ts'

/** Records in the VMI how its guest ended, and raises an event. Must precede the end of QEMU. */
export async function reportEnd(
  ports: Pick<Ports, 'client' | 'recorder' | 'clock' | 'onPanic'>,
  vmi: VirtualMachineInstance | undefined,
  ending: Ending,
): Promise<Progress> {
  if (vmi === undefined) return finish(done)
  const updated = await patchStatus(ports, vmi, endedStatus(vmi, ending, timestamp(ports.clock.now())))
  reportFault(ports, vmi, ending)
  const isGood = ending.phase === 'Succeeded'
  const message = isGood ? 'The VirtualMachineInstance was shut down.' : `The VirtualMachineInstance crashed: ${ending.message}`
  ports.recorder.event(vmi, isGood ? 'Normal' : 'Warning', 'Stopped', message)
  return { again: true, vmi: updated }
}

/** Raises an event of its own for a fault of the guest, which `Stopped` does not tell apart. */
function reportFault({ recorder, onPanic }: Pick<Ports, 'recorder' | 'onPanic'>, vmi: VirtualMachineInstance, { reason }: Ending): void {
  if (reason === 'GuestPanicked') {
    // In KubeVirt's words. The panic devices of Linux guests give no details.
    recorder.event(vmi, 'Warning', 'GuestPanicked', 'GuestPanicked (details unavailable)')
    onPanic?.(vmi)
  }
  if (reason === 'WatchdogExpired')
    recorder.event(vmi, 'Warning', 'WatchdogExpired', 'The watchdog of the guest has expired: it is switched off.')
}

/** Returns the status fields of a VMI whose guest has ended. */
export function endedStatus(vmi: VirtualMachineInstance, ending: Ending, now: string): Partial<VirtualMachineInstanceStatus> {
  const conditions = setCondition<VirtualMachineInstanceCondition>(
    vmi.status?.conditions,
    { type: 'Ready', status: 'False', reason: 'GuestNotRunning', message: ending.message, lastProbeTime: null },
    now,
  )
  const over = ['Paused', 'HotVCPUChange', 'HotMemoryChange'].reduce(removeCondition<VirtualMachineInstanceCondition>, conditions)
  return { ...enterPhase(vmi.status, ending.phase, now), reason: ending.reason, conditions: over }
}
