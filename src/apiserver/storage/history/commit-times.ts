/** Recent commit durations, for percentiles. */
export class CommitTimes {
  readonly #times: Float64Array = new Float64Array(512)
  #count = 0

  add(ms: number): void {
    this.#times[this.#count % this.#times.length] = ms
    this.#count += 1
  }

  /**
   * Returns the duration in milliseconds below which this share (0 to 1) of recent commits stayed;
   * 0 before the first.
   */
  percentile(share: number): number {
    const sorted = this.#times.slice(0, Math.min(this.#count, this.#times.length)).toSorted()
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }
}
