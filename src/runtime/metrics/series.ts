/** Values of the labels of one time series. */
export type Labels = Readonly<Record<string, string>>

/** Definition of a metric. */
export interface MetricDefinition {
  /**
   * By Prometheus' conventions: `workqueue_depth`, counters end in `_total`, times are in seconds.
   */
  readonly name: string
  readonly help: string
  /** Names of the labels. Default none. */
  readonly labels?: readonly string[]
}

/** Time series by their labels. */
export class Series<S> {
  readonly #byLabels = new Map<string, { readonly labels: Labels; readonly state: S }>()
  readonly #make: () => S

  constructor(make: () => S) {
    this.#make = make
  }

  at(labels: Labels): S {
    return this.#byLabels.getOrInsertComputed(JSON.stringify(labels), () => ({ labels, state: this.#make() })).state
  }

  *[Symbol.iterator](): Generator<readonly [Labels, S], void, undefined> {
    for (const { labels, state } of this.#byLabels.values()) yield [labels, state]
  }
}
