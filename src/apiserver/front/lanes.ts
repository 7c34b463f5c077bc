import { tooManyRequests } from '#apimachinery/errors.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'

/** Largest number of concurrent requests. */
export interface LaneLimits {
  readonly reading: number
  readonly mutating: number
}

/** Kind of request that has a limit of its own. */
export type Lane = keyof LaneLimits

/** Counts running requests. */
export interface Lanes {
  /** Counts a request until {@link leave}. Undefined: it is not limited. @throws StatusError 429 */
  enter(info: RequestInfo, user: UserInfo): Lane | undefined
  leave(lane: Lane, user: UserInfo): void
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
export function createLanes(limits: LaneLimits): Lanes {
  const running = { reading: 0, mutating: 0 }
  const held = { reading: new Map<string, number>(), mutating: new Map<string, number>() }
  const isCounted = ({ groups }: UserInfo): boolean => !groups.includes('system:masters')

  return {
    enter(info, user) {
      if (isLong(info)) return undefined
      const lane = readingVerbs.has(info.verb) ? 'reading' : 'mutating'
      const counted = isCounted(user)
      const own = counted ? (held[lane].get(user.username) ?? 0) : 0
      if (running[lane] >= limits[lane] || own >= Math.ceil(limits[lane] / 2)) {
        throw tooManyRequests('too many requests are running, please try again later', 1)
      }
      running[lane] += 1
      if (counted) held[lane].set(user.username, own + 1)
      return lane
    },
    leave(lane, user) {
      running[lane] -= 1
      if (!isCounted(user)) return
      const left = (held[lane].get(user.username) ?? 1) - 1
      if (left > 0) held[lane].set(user.username, left)
      else held[lane].delete(user.username)
    },
  }
}
