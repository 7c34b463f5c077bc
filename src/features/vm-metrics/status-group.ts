import type { VirtualMachine, VirtualMachinePrintableStatus } from '#api/kubevirt/v1/virtual-machine.ts'

/** KubeVirt's groups of what `kubectl get vm` shows. */
export const statusGroups = ['starting', 'running', 'migrating', 'non_running', 'error'] as const

/** See {@link statusGroups}. */
export type StatusGroup = (typeof statusGroups)[number]

const groups: Readonly<Record<VirtualMachinePrintableStatus, StatusGroup>> = {
  Provisioning: 'starting',
  Starting: 'starting',
  WaitingForVolumeBinding: 'starting',
  WaitingForReceiver: 'starting',
  Running: 'running',
  Migrating: 'migrating',
  Stopped: 'non_running',
  Paused: 'non_running',
  Stopping: 'non_running',
  Terminating: 'non_running',
  CrashLoopBackOff: 'error',
  Unknown: 'error',
  ErrorUnschedulable: 'error',
  ErrImagePull: 'error',
  ImagePullBackOff: 'error',
  ErrorPvcNotFound: 'error',
  DataVolumeError: 'error',
}

/** Returns the group of the status of a VM; undefined before it has one. Pure. */
export function statusGroupOf({ status }: VirtualMachine): StatusGroup | undefined {
  const printable: string = status?.printableStatus ?? ''
  return Object.hasOwn(groups, printable) ? groups[printable as VirtualMachinePrintableStatus] : undefined
}

const timed: readonly string[] = ['Ready', 'Failure', 'Paused']

/**
 * Returns the second since the epoch at which the VM came into its status: the last change of a
 * condition that comes with one, or its creation. Pure.
 */
export function statusSince({ metadata, status }: VirtualMachine): number {
  const times = (status?.conditions ?? []).flatMap(({ type, lastTransitionTime }) =>
    timed.includes(type) ? [secondsOf(lastTransitionTime)] : [],
  )
  return Math.max(...times, secondsOf(metadata.creationTimestamp))
}

/** Returns the whole seconds since the epoch of a time of an object; 0 without one. */
export function secondsOf(time: string | null | undefined): number {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000)
}
