import type { TestEvent } from 'node:test/reporters'

/** One line of what {@link reportEvents} writes. `start`: a test begins to run. */
export type EventLine =
  | { readonly type: 'start'; readonly file: string; readonly name: string }
  | {
      readonly type: 'end'
      readonly file: string
      readonly name: string
      /** 0 for what stands at the top of a file. */
      readonly nesting: number
      readonly ok: boolean
      readonly isSuite: boolean
      readonly seconds: number
      /** Reason of a skip; empty without one. Absent for a test that ran. */
      readonly skipped?: string
    }

/** Writes one JSON line for each test that begins or ends: the runner's view of a process. */
async function* reportEvents(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type === 'test:dequeue') yield line({ type: 'start', file: data.file ?? '', name: data.name })
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { name, nesting, details, skip } = data
    const skipped = skip === undefined || skip === false ? {} : { skipped: skip === true ? '' : skip }
    const isSuite = details.type === 'suite'
    const ok = type === 'test:pass'
    yield line({ type: 'end', file: data.file ?? '', name, nesting, ok, isSuite, seconds: details.duration_ms / 1000, ...skipped })
  }
}

function line(event: EventLine): string {
  return `${JSON.stringify(event)}\n`
}

// oxlint-disable-next-line import/no-default-export -- node:test takes a reporter by its default export
export default reportEvents
