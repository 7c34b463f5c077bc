/** The latest durations, for percentiles. */
export class CommitTimes {
  readonly #times: Float64Array = new Float64Array(512)
  #count = 0

  add(ms: number): void {
    this.#times[this.#count % this.#times.length] = ms
    this.#count += 1
  }

  /**
   * Milliseconds that this share (0 to 1) of the latest commits did not exceed; 0 before the first.
   */
  percentile(share: number): number {
    const sorted = this.#times.slice(0, Math.min(this.#count, this.#times.length)).toSorted()
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  }
}
