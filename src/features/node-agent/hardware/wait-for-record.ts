import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Milliseconds between two looks whether others are still being started. */
const lookAgainMs = 1_000
/**
 * Milliseconds after which a guest is looked at although others are being started: some of those
 * never will be.
 */
const longestMs = 60_000

/**
 * How long a guest is left alone yet. Its own start and those of others, for which somebody waits,
 * come first.
 */
export function recordDelayMs(
  { status }: VirtualMachineInstance,
  all: readonly VirtualMachineInstance[],
  { nowMs, quietMs }: { readonly nowMs: number; readonly quietMs: number },
): number {
  const running = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp
  const sinceMs = running === undefined || running === null ? quietMs : nowMs - Date.parse(running)
  if (sinceMs < quietMs) return quietMs - sinceMs
  const isBusy = all.some((other) => other.status?.phase === 'Scheduled')
  return isBusy && quietMs > 0 && sinceMs < longestMs ? lookAgainMs : 0
}
