import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Reply } from './reply.ts'

/** An authorized request for a path that is not a resource. */
export interface RouteCall {
  readonly exchange: Exchange
  readonly reply: Reply
  /** Path without query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly user: UserInfo
}

/** Answers requests below one path. Throws StatusError. */
export type Route = (call: RouteCall) => Promise<void>

/** Routes by their first path segment. */
export type Routes = ReadonlyMap<string, Route>

/** Returns the first segment of a path, which selects the route; empty for `/`. */
export function routeName(path: string): string {
  return path.split('/', 2)[1] ?? ''
}
