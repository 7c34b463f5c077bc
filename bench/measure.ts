/** Nearest-rank percentile of unsorted numbers. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** One line of the report. */
export interface Row {
  readonly what: string
  readonly measured: string
  /** The budget of design.md, as it stands there; empty when there is none. */
  readonly budget: string
  /** Undefined when nothing was promised. */
  readonly within: boolean | undefined
  /** The peer's figure in the same run, or why there is none. */
  readonly peer: string
}

/** `1.23 s` or `45 ms`. */
export function time(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(0)} ms`
}

/** `45.1 MiB`. */
export function mebibytes(kib: number): string {
  return `${(kib / 1024).toFixed(1)} MiB`
}

/** Nearest-rank median. */
export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

/** `1.20 s (1.10 s–1.40 s)`: the median of samples in milliseconds, and their range. */
export function spread(samples: readonly number[]): string {
  return `${time(median(samples))} (${time(Math.min(...samples))}–${time(Math.max(...samples))})`
}

/** Times of programs that do not wait for the storage by themselves. */
export function spreadOfWrites(samples: readonly { readonly writtenMs: number; readonly syncedMs: number }[]): string {
  const written = median(samples.map(({ writtenMs }) => writtenMs))
  return `${spread(samples.map(({ syncedMs }) => syncedMs))}, ${time(written)} without sync`
}
