import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Milliseconds between checks while other guests start. */
const pollIntervalMs = 1_000
/** Longest delay in milliseconds. Some pending guests never start. */
const maxDelayMs = 60_000

/** Returns the milliseconds to wait before the hardware is recorded: starts have priority. */
export function recordDelayMs(
  { status }: VirtualMachineInstance,
  all: readonly VirtualMachineInstance[],
  { nowMs, quietMs }: { readonly nowMs: number; readonly quietMs: number },
): number {
  const running = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running')?.phaseTransitionTimestamp
  const sinceMs = running === undefined || running === null ? quietMs : nowMs - Date.parse(running)
  if (sinceMs < quietMs) return quietMs - sinceMs
  const isBusy = all.some((other) => other.status?.phase === 'Scheduled')
  return isBusy && quietMs > 0 && sinceMs < maxDelayMs ? pollIntervalMs : 0
}
