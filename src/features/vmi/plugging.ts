import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Reason of a HotVCPUChange that nobody is at: until the guest starts again, it may be changed once more. */
const waits = 'NotPluggedYet'

/** Ours: whether the guest's node plugs CPUs and memory into it while it runs. Where it does not, the guest gets them with its next start. */
export const pluggableCondition = 'steadyvm.io/Pluggable'

/** Why sockets that are added to a running guest reach it only later: what the owner of the VM and the reader of a plan are told. */
export function socketsWait(running: number): string {
  const has = running === 1 ? '1 socket' : `${running} sockets`
  return `the guest has ${has} until it starts again: its node plugs in no more while it runs`
}

/** KubeVirt's sign that a guest has not got the sockets yet that its VMI asks for; undefined when it has them. */
export function missingSockets(
  { spec }: Pick<VirtualMachineInstance, 'spec'>,
  running: number,
): VirtualMachineInstanceCondition | undefined {
  if ((spec.domain.cpu?.sockets || 1) === running) return undefined
  return { type: 'HotVCPUChange', status: 'True', reason: waits, message: socketsWait(running), lastProbeTime: null }
}

/** Whether sockets are being plugged in at this moment. */
export function isPluggingSockets({ status }: VirtualMachineInstance): boolean {
  return isTrue(status?.conditions, 'HotVCPUChange') && findCondition(status?.conditions, 'HotVCPUChange')?.reason !== waits
}

/** Whether the guest itself has all sockets that its VMI asks for, as far as its node has told. */
export function hasItsSockets({ spec, status }: VirtualMachineInstance): boolean {
  const running = status?.currentCPUTopology?.sockets
  return running === undefined || running === (spec.domain.cpu?.sockets || 1)
}
