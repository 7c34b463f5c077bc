/** Fields of a schedule, in order. */
const parts: readonly { readonly low: number; readonly high: number; readonly names: readonly string[] }[] = [
  { low: 0, high: 59, names: [] },
  { low: 0, high: 23, names: [] },
  { low: 1, high: 31, names: [] },
  { low: 1, high: 12, names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { low: 0, high: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

const descriptors: ReadonlySet<string> = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'])

type Part = (typeof parts)[number]

/** Validates a Cron schedule, with the messages of Kubernetes' parser. */
export function cronScheduleFault(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorFault(schedule)
  const fields = schedule.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== parts.length) return `expected exactly ${parts.length} fields, found ${fields.length}: [${fields.join(' ')}]`
  for (const [index, part] of parts.entries()) {
    for (const range of (fields[index] ?? '').split(',').filter((each) => each !== '')) {
      const fault = rangeFault(range, part)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

function descriptorFault(schedule: string): string | undefined {
  if (descriptors.has(schedule)) return undefined
  const every = /^@every (.*)$/.exec(schedule)?.[1]
  if (every === undefined) return `unrecognized descriptor: ${schedule}`
  const isDuration = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/.test(every)
  return isDuration ? undefined : `failed to parse duration ${schedule}: time: invalid duration "${every}"`
}

function rangeFault(expression: string, part: Part): string | undefined {
  const [range = '', step, ...moreSteps] = expression.split('/')
  if (moreSteps.length > 0) return `too many slashes: ${expression}`
  const [first = '', last, ...moreEnds] = range.split('-')
  let [start, end] = [part.low, part.high]
  if (first !== '*' && first !== '?') {
    if (moreEnds.length > 0) return `too many hyphens: ${expression}`
    const numbers = [readNumber(first, part), readNumber(last ?? first, part)] as const
    for (const number of numbers) if (typeof number === 'string') return number
    start = Number(numbers[0])
    end = last === undefined && step !== undefined ? part.high : Number(numbers[1])
  }
  if (step !== undefined) {
    const by = readNumber(step, { ...part, names: [] })
    if (typeof by === 'string') return by
    if (by === 0) return `step of range should be a positive number: ${expression}`
  }
  if (start < part.low) return `beginning of range (${start}) below minimum (${part.low}): ${expression}`
  if (end > part.high) return `end of range (${end}) above maximum (${part.high}): ${expression}`
  return start > end ? `beginning of range (${start}) beyond end of range (${end}): ${expression}` : undefined
}

/** Parses a number, or returns the error. */
function readNumber(text: string, { names }: Part): number | string {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase())
  if (named >= 0) return named
  return /^\+?\d+$/.test(text)
    ? Number(text)
    : `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
}
