import { badRequest } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { RequestInfo } from './request-info.ts'

const units: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'])
const streamed: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/**
 * Checks `?timeout=`, a Go duration. Requests that last as long as their client wants, such as
 * watches, ignore it. @throws StatusError 400
 */
export function checkTimeout(info: RequestInfo, query: URLSearchParams): void {
  if (query.size === 0) return
  const text = query.get('timeout') ?? ''
  if (text === '' || (info.kind === 'resource' && (info.verb === 'watch' || streamed.has(info.subresource)))) return
  const problem = durationProblem(text)
  if (problem !== undefined) throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`)
}

/** Returns what Go's `time.ParseDuration` says about a text; undefined when it is a duration. */
function durationProblem(text: string): string | undefined {
  const shown = quote(text)
  let rest = text.replace(/^[-+]/, '')
  if (rest === '0') return undefined
  if (rest === '') return `invalid duration ${shown}`
  while (rest !== '') {
    const number = /^(?:\d+(?:\.\d*)?|\.\d+)/.exec(rest)?.[0]
    if (number === undefined) return `invalid duration ${shown}`
    rest = rest.slice(number.length)
    const unit = /^[^\d.]+/.exec(rest)?.[0]
    if (unit === undefined) return `missing unit in duration ${shown}`
    if (!units.has(unit)) return `unknown unit ${quote(unit)} in duration ${shown}`
    rest = rest.slice(unit.length)
  }
  return undefined
}
