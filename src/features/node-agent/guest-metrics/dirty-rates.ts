import { measureDirtyRate, readDirtyRate, type QmpConnection } from '#qemu/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'

/** Milliseconds between two measurements of a guest: each reads a part of its memory twice. */
const everyMs = 60_000

interface Measurement {
  readonly begunMs: number
  readonly isRead: boolean
  /** That of an earlier measurement until it is read. */
  readonly bytesPerSecond: number | undefined
}

/** Knows how much memory guests write to. */
export interface DirtyRates<G extends object> {
  /**
   * Returns what was measured last, in bytes per second, and has it measured anew when that is too
   * old. Undefined before the first measurement.
   */
  read(guest: G, qmp: QmpConnection): Promise<number | undefined>
}

/** Creates it. A guest is measured only while someone asks, and then not more often than needed. */
export function createDirtyRates<G extends object>(clock: Pick<Clock, 'now'>): DirtyRates<G> {
  const measurements = new WeakMap<G, Measurement>()
  return {
    async read(guest, qmp) {
      const last = measurements.get(guest)
      if (last === undefined || (last.isRead && clock.now() - last.begunMs >= everyMs)) {
        measurements.set(guest, { begunMs: clock.now(), isRead: false, bytesPerSecond: last?.bytesPerSecond })
        await measureDirtyRate(qmp)
        return last?.bytesPerSecond
      }
      if (last.isRead) return last.bytesPerSecond
      const found = await readDirtyRate(qmp)
      // One that is refused, as by a guest that moves, is tried again later.
      const isOver = found !== undefined || clock.now() - last.begunMs >= everyMs
      if (isOver) measurements.set(guest, { ...last, isRead: true, bytesPerSecond: found })
      return found ?? last.bytesPerSecond
    },
  }
}
