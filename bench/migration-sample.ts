import type { MigrationReport } from '#qemu/index.ts'
import { percentile, time } from './measure.ts'

/** One migration, by the clock and by QEMU's own account. */
export interface Sample {
  /** From the first command to a guest that runs on the target. */
  readonly totalMs: number
  /** That part of it in which memory flowed. */
  readonly streamMs: number
  /** From the guest's last moment on the source to its first on the target. */
  readonly stillMs: number
  /** Bytes of memory a second. */
  readonly bandwidth: number
}

/** A sample of what was timed and what the source's QEMU says at its end. */
export function sampleOf(timed: Pick<Sample, 'totalMs' | 'stillMs'>, { progress, totalMs: streamMs = 0 }: MigrationReport): Sample {
  return { ...timed, streamMs, bandwidth: (progress?.transferredBytes ?? 0) / (streamMs / 1000) }
}

/** `total 1.23 s (stream 456 ms), still 78 ms, 90 MiB/s`: the median of each. */
export function words(samples: readonly Sample[]): string {
  const { totalMs, streamMs, stillMs, bandwidth } = medians(samples)
  return `total ${time(totalMs)} (stream ${time(streamMs)}), still ${time(stillMs)}, ${(bandwidth / 2 ** 20).toFixed(0)} MiB/s`
}

/**
 * `1.2 times the total, 1.0 times the standstill, 0.9 times the bandwidth`: of the one, measured in
 * the other.
 */
export function ratios(samples: readonly Sample[], peer: readonly Sample[]): string {
  const [own, other] = [medians(samples), medians(peer)]
  const ratio = (name: keyof Sample): string => `${(own[name] / other[name]).toFixed(1)} times the`
  return `${ratio('totalMs')} total, ${ratio('stillMs')} standstill, ${ratio('bandwidth')} bandwidth`
}

function medians(samples: readonly Sample[]): Sample {
  const middle = (name: keyof Sample): number =>
    percentile(
      samples.map((sample) => sample[name]),
      0.5,
    )
  return { totalMs: middle('totalMs'), streamMs: middle('streamMs'), stillMs: middle('stillMs'), bandwidth: middle('bandwidth') }
}
