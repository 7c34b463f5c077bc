import { connectQmp, observeFingerprint, QmpClosed, queryVersion, type Fingerprint, type QmpConnection } from '#qemu/index.ts'
import type { Clock } from '#runtime/clock.ts'
import type { Guest } from '../guest/guest.ts'
import { guestSockets } from '../domain/domain.ts'

/**
 * Milliseconds for some five hundred questions, each of which waits its turn where everybody is
 * busy.
 */
const observeTimeoutMs = 120_000
/** Milliseconds until the monitor greets; it never does while somebody else talks to it. */
const greetingTimeoutMs = 5_000

/**
 * What a guest sees, and the release of QEMU that it runs in: an older one, perhaps, than its node
 * would start today.
 */
export interface QueriedHardware {
  readonly fingerprint: Fingerprint
  readonly version: string
}

/**
 * Asks the QEMU of a guest for its hardware; undefined when it cannot be asked. By a monitor for
 * this alone, since whoever wants to know on another one how the guest is must not wait for the
 * answers. Guests of former releases have none, and the spare one instead.
 */
export async function queryHardware(
  { paths }: Guest,
  args: readonly string[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<QueriedHardware | undefined> {
  const { hardwareMonitor, spareMonitor } = guestSockets(paths)
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
