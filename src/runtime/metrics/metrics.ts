import { renderSamples, type CollectedMetric, type CollectedSample } from './collected-samples.ts'
import { exposition, type Sample } from './exposition.ts'
import { Series } from './series.ts'
import type { Labels, MetricDefinition } from './series.ts'

/** A monotonic counter. */
export interface Counter {
  add(amount?: number): void
}
/** Goes up and down. */
export interface Gauge {
  set(value: number): void
}
/** Counts observations by size. */
export interface Histogram {
  observe(value: number): void
}

/**
 * A metric with labels: returns the time series for label values. Keep the result where it is used
 * often.
 */
export type Labelled<M> = (labels?: Labels) => M

/**
 * Metrics of a process. Counting is almost free: numbers are kept here in plain form, and the
 * Prometheus library is loaded at the first scrape (70 ms and 19 MiB, which a process without
 * scrapes never pays).
 */
export interface Metrics {
  counter(definition: MetricDefinition): Labelled<Counter>
  gauge(definition: MetricDefinition): Labelled<Gauge>
  /**
   * A gauge that is read at each scrape, and not kept: of thousands of guests only the text of one
   * scrape is in memory.
   */
  gaugeFrom(definition: MetricDefinition, read: () => Iterable<Sample>): void
  /** A counter that is read at each scrape: what it counts is stored elsewhere. */
  counterFrom(definition: MetricDefinition, read: () => Iterable<Sample>): void
  /**
   * Metrics that are read together at each scrape, which waits for them: `read` limits its own
   * time, and must not reject.
   */
  collect(metrics: readonly CollectedMetric[], read: () => Promise<readonly CollectedSample[]>): void
  /** Bounds grow; a last bucket without bound is added. */
  histogram(definition: MetricDefinition & { readonly buckets: readonly number[] }): Labelled<Histogram>
  /** Media type of {@link Metrics.metrics}. */
  readonly contentType: string
  /**
   * Returns the text of a scrape. Named as in prom-client's registry, so that one server can serve
   * both.
   */
  metrics(): Promise<string>
}

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  /**
   * Add CPU, memory, file descriptors and event loop delay of this process at the first scrape.
   * Default false.
   */
  readonly process?: boolean
}

/** Creates an empty registry. A name may be defined once. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  return new LazyMetrics(options)
}

/** Passes the counts since the last call to the Prometheus library. */
type Publish = () => void
type Library = typeof import('prom-client')
type Registry = InstanceType<Library['Registry']>

class LazyMetrics implements Metrics {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8'
  readonly #options: MetricsOptions
  readonly #names = new Set<string>()
  /**
   * One per metric; called once when the library is loaded, it returns the function to call before
   * each scrape.
   */
  readonly #attach: ((library: Library, registry: Registry) => Publish)[] = []
  readonly #read: (() => Promise<string>)[] = []
  #loaded: Promise<{ registry: Registry; library: Library; publish: Publish[] }> | undefined

  constructor(options: MetricsOptions) {
    this.#options = options
  }

  counter(definition: MetricDefinition): Labelled<Counter> {
    const series = new Series(() => new Sum())
    this.#define(definition, ({ Counter }, registry) => {
      const counter = new Counter({ ...described(definition), registers: [registry] })
      return () => {
        for (const [labels, sum] of series) counter.inc(labels, sum.take())
      }
    })
    return (labels = {}) => series.at(labels)
  }

  gauge(definition: MetricDefinition): Labelled<Gauge> {
    const series = new Series(() => new Level())
    this.gaugeFrom(definition, () => [...series].map(([labels, level]) => [labels, level.value] as const))
    return (labels = {}) => series.at(labels)
  }

  gaugeFrom(definition: MetricDefinition, read: () => Iterable<Sample>): void {
    this.#claim(definition)
    this.#read.push(() => exposition(definition, 'gauge', read()))
  }

  counterFrom(definition: MetricDefinition, read: () => Iterable<Sample>): void {
    this.#claim(definition)
    this.#read.push(() => exposition(definition, 'counter', read()))
  }

  collect(metrics: readonly CollectedMetric[], read: () => Promise<readonly CollectedSample[]>): void {
    for (const metric of metrics) this.#claim(metric)
    this.#read.push(async () => renderSamples(metrics, await read()))
  }

  histogram(definition: MetricDefinition & { readonly buckets: readonly number[] }): Labelled<Histogram> {
    const series = new Series(() => new Buckets(definition.buckets))
    this.#define(definition, ({ Histogram }, registry) => {
      const histogram = new Histogram({ ...described(definition), buckets: [...definition.buckets], registers: [registry] })
      return () => {
        for (const [labels, buckets] of series) buckets.replay((value) => histogram.observe(labels, value))
      }
    })
    return (labels = {}) => series.at(labels)
  }

  async metrics(): Promise<string> {
    this.#loaded ??= this.#load()
    const { registry, library, publish } = await this.#loaded
    for (const attach of this.#attach.splice(0)) publish.push(attach(library, registry))
    for (const one of publish) one()
    const texts = [await registry.metrics()]
    for (const read of this.#read) texts.push(await read())
    return texts.join('')
  }

  #define(definition: MetricDefinition, attach: (library: Library, registry: Registry) => Publish): void {
    this.#claim(definition)
    this.#attach.push(attach)
  }

  #claim({ name }: MetricDefinition): void {
    if (this.#names.has(name)) throw new RangeError(`Metric "${name}" must be defined once: it is there already`)
    this.#names.add(name)
  }

  async #load(): Promise<{ registry: Registry; library: Library; publish: Publish[] }> {
    const { default: library } = await import('prom-client')
    const registry = new library.Registry()
    if (this.#options.process === true) library.collectDefaultMetrics({ register: registry })
    return { registry, library, publish: [] }
  }
}

function described(definition: MetricDefinition): { name: string; help: string; labelNames: string[] } {
  return { name: definition.name, help: definition.help, labelNames: [...(definition.labels ?? [])] }
}

class Sum implements Counter {
  #pending = 0

  add(amount = 1): void {
    this.#pending += amount
  }

  take(): number {
    const amount = this.#pending
    this.#pending = 0
    return amount
  }
}

class Level implements Gauge {
  value = 0

  set(value: number): void {
    this.value = value
  }
}

/**
 * A histogram exposes only counts and sums per bucket, so the mean of a bucket stands for each of
 * its observations.
 */
class Buckets implements Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  readonly #sums: number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
    this.#sums = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sums[bucket] = (this.#sums[bucket] ?? 0) + value
  }

  replay(observe: (value: number) => void): void {
    for (const [bucket, count] of this.#counts.entries()) {
      // Rounding must not move the mean above its bound.
      const mean = Math.min((this.#sums[bucket] ?? 0) / count, this.#bounds[bucket] ?? Number.POSITIVE_INFINITY)
      for (let i = 0; i < count; i++) observe(mean)
    }
    this.#counts.fill(0)
    this.#sums.fill(0)
  }
}
