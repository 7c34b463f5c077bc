import type { ContainerStateTerminated } from '#api/core/v1/container.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/**
 * Exit of a launcher pod's process. `awaited`: the kubelet has not reported it yet. `unknown`: it
 * never will.
 */
export type LauncherExit = 'unknown' | 'awaited' | ContainerStateTerminated

/** Reads the exit from the status of the launcher pod. */
export function launcherExitOf(pod: Pod | undefined): LauncherExit {
  const terminated = pod?.status?.containerStatuses?.find(({ name }) => name === 'compute')?.state?.terminated
  if (terminated !== undefined) return terminated
  return pod === undefined || isPodTerminal(pod) ? 'unknown' : 'awaited'
}

const maxLines = 5

/**
 * Describes the exit in one line: `QEMU ended with exit code 1: qemu-system-x86_64: cannot set up
 * guest memory`.
 */
export function describeExit(exit: LauncherExit): string {
  if (typeof exit === 'string') return 'QEMU ended and its exit code is unknown'
  const { exitCode, signal, reason, message } = exit
  if (reason === 'OOMKilled') return 'QEMU was killed since it exceeded the memory limit of its pod'
  const how = signal === undefined || signal === 0 ? `ended with exit code ${exitCode}` : `was killed by signal ${signal}`
  const why = message?.trim().split('\n').slice(-maxLines).join('; ')
  return why === undefined || why === '' ? `QEMU ${how}` : `QEMU ${how}: ${why}`
}
