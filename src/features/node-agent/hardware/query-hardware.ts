import { connectQmp, observeFingerprint, QmpClosed, queryVersion, type Fingerprint, type QmpConnection } from '#qemu/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'
import { guestSockets } from '../domain/domain.ts'

/** Limit in milliseconds for some 500 QMP commands on a busy host. */
const observeTimeoutMs = 120_000
/** Limit in milliseconds for the greeting, which never comes while the monitor is in use. */
const greetingTimeoutMs = 5_000

/**
 * Hardware fingerprint of a guest, and the version of its QEMU, which may be older than the node's.
 */
export interface QueriedHardware {
  readonly fingerprint: Fingerprint
  readonly version: string
}

/**
 * Queries the hardware over a monitor of its own, so that other queries do not wait. Guests of
 * older releases lack that monitor; the spare one is used for them. Undefined when QEMU does not
 * answer.
 */
export async function queryHardware(
  { paths }: Guest,
  args: readonly string[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<QueriedHardware | undefined> {
  const { hardwareMonitor, spareMonitor } = guestSockets(paths.runDirectory)
  const open = (socket: string): Promise<QmpConnection> => connectQmp(socket, { greetingTimeoutMs })
  const qmp = await open(hardwareMonitor)
    .catch(() => open(spareMonitor))
    .catch(() => undefined)
  if (qmp === undefined) return undefined
  using connection = qmp
  const close = (): void => connection[Symbol.dispose]()
  using _timer = clock.after(observeTimeoutMs, close)
  using abort = new DisposableStack()
  signal.addEventListener('abort', close, { once: true })
  abort.defer(() => signal.removeEventListener('abort', close))
  if (signal.aborted) return undefined
  try {
    const [fingerprint, version] = await Promise.all([observeFingerprint(connection, args), queryVersion(connection)])
    return { fingerprint, version }
  } catch (error) {
    if (error instanceof QmpClosed) return undefined
    throw error
  }
}
