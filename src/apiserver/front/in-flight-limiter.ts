import { tooManyRequests } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'

/** Largest number of concurrent requests. */
export interface InFlightLimits {
  readonly reading: number
  readonly mutating: number
}

/** Kind of request that has a limit of its own. */
export type InFlightKind = keyof InFlightLimits

/** Counts running requests. */
export interface InFlightLimiter {
  /** Counts a request until {@link leave}. Undefined: it is not limited. @throws StatusError 429 */
  enter(info: RequestInfo, user: UserInfo): InFlightKind | undefined
  leave(inFlight: InFlightKind, user: UserInfo): void
}

const readingVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options'])

/** Reports whether the request is long-running: a watch, a log, a stream. */
function isLong(info: RequestInfo): boolean {
  return info.verb === 'watch' || (info.kind === 'resource' && info.group === '' && info.resource === 'pods' && info.subresource === 'log')
}

/**
 * Limits concurrent requests. One user may have half of them, as slow uploads would otherwise block
 * everyone; system:masters may have all.
 */
export function createInFlightLimiter(limits: InFlightLimits): InFlightLimiter {
  const running = { reading: 0, mutating: 0 }
  const held = { reading: new Map<string, number>(), mutating: new Map<string, number>() }
  const isCounted = ({ groups }: UserInfo): boolean => !groups.includes('system:masters')

  return {
    enter(info, user) {
      if (isLong(info)) return undefined
      const inFlight = readingVerbs.has(info.verb) ? 'reading' : 'mutating'
      const counted = isCounted(user)
      const own = counted ? (held[inFlight].get(user.username) ?? 0) : 0
      if (running[inFlight] >= limits[inFlight] || own >= Math.ceil(limits[inFlight] / 2)) {
        throw tooManyRequests('too many requests are running, please try again later', 1)
      }
      running[inFlight] += 1
      if (counted) held[inFlight].set(user.username, own + 1)
      return inFlight
    },
    leave(inFlight, user) {
      running[inFlight] -= 1
      if (!isCounted(user)) return
      const left = (held[inFlight].get(user.username) ?? 1) - 1
      if (left > 0) held[inFlight].set(user.username, left)
      else held[inFlight].delete(user.username)
    },
  }
}
