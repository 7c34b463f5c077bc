import type { Labels, MetricDefinition } from './series.ts'

/**
 * Value of one time series. Labels that the definition does not name are shown, too: those of a
 * guest, whose names its owner chooses.
 */
export type Sample = readonly [labels: Labels, value: number]

/** Number of samples after which other work of the process gets its turn. */
const samplesPerTurn = 500

/**
 * Returns the text of a metric in the exposition format of Prometheus. Of samples with the same
 * labels the last one counts: a scrape with two of them is refused.
 */
export async function exposition(definition: MetricDefinition, type: 'counter' | 'gauge', samples: Iterable<Sample>): Promise<string> {
  const { name, help, labels: names = [] } = definition
  const series = new Map<string, number>()
  let read = 0
  for (const [labels, value] of samples) {
    series.set(labelText(names, labels), value)
    if (++read % samplesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  let text = `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
  for (const [labels, value] of series) text += `${name}${labels} ${valueText(value)}\n`
  return `${text}\n`
}

function labelText(names: readonly string[], labels: Labels): string {
  const parts = names.map((name) => `${name}="${escaped(labels[name] ?? '')}"`)
  for (const name in labels) if (!names.includes(name)) parts.push(`${name}="${escaped(labels[name] ?? '')}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Math.abs(value) === Number.POSITIVE_INFINITY ? (value > 0 ? '+Inf' : '-Inf') : String(value)
}
