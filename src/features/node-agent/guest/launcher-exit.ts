import type { ContainerStateTerminated } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/**
 * How the process of a launcher pod ended: `unknown` when nobody will ever tell, `awaited` when its
 * kubelet has not told yet.
 */
export type LauncherExit = 'unknown' | 'awaited' | ContainerStateTerminated

/** Reads from a launcher's pod how its process ended, once that has ended. */
export function launcherExitOf(pod: Pod | undefined): LauncherExit {
  const terminated = pod?.status?.containerStatuses?.find(({ name }) => name === 'compute')?.state?.terminated
  if (terminated !== undefined) return terminated
  return pod === undefined || pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded' ? 'unknown' : 'awaited'
}

const mostLines = 5

/**
 * One line for people: `QEMU ended with exit code 1: qemu-system-x86_64: cannot set up guest
 * memory`.
 */
export function describeExit(exit: LauncherExit): string {
  if (typeof exit === 'string') return 'QEMU ended, and nobody saw how'
  const { exitCode, signal, message } = exit
  const how = signal === undefined || signal === 0 ? `ended with exit code ${exitCode}` : `was killed by signal ${signal}`
  const why = message?.trim().split('\n').slice(-mostLines).join('; ')
  return why === undefined || why === '' ? `QEMU ${how}` : `QEMU ${how}: ${why}`
}
