import { createHash } from 'node:crypto'
import { tokenReviews } from '#api/authentication/v1/resources.ts'
import type { TokenReview } from '#api/authentication/v1/token-review.ts'
import { subjectAccessReviews } from '#api/authorization/v1/resources.ts'
import type { SubjectAccessReview } from '#api/authorization/v1/subject-access-review.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '../clock/clock.ts'

/** Reason why a scrape is refused. */
export interface MetricsRefusal {
  readonly code: 401 | 403 | 503
  readonly text: string
}

/**
 * Decides about a request for a path by its `Authorization` header. Undefined allows it; never
 * rejects.
 */
export type MetricsAccess = (authorization: string | undefined, path: string) => Promise<MetricsRefusal | undefined>

/** Dependencies of {@link createMetricsAccess}. */
export interface MetricsAccessOptions {
  readonly client: Pick<Client, 'create'>
  readonly clock: Pick<Clock, 'now'>
}

/**
 * A revoked token or role takes effect after this long, as with kube-apiserver's delegated
 * authorization.
 */
const decisionMs = 10_000
/** Bounds memory against random tokens. */
const mostDecisions = 100
const reviewMs = 5_000

/**
 * Delegates authentication (TokenReview) and authorization (SubjectAccessReview for `get` on the
 * path) of scrapes to the API server, as kube-apiserver protects its own `/metrics`. The
 * ClusterRole
 * `system:monitoring` allows them.
 */
export function createMetricsAccess({ client, clock }: MetricsAccessOptions): MetricsAccess {
  const decisions = new Map<string, { readonly untilMs: number; readonly decision: Promise<MetricsRefusal | undefined> }>()
  return (authorization, path) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) return Promise.resolve(unauthorized('no bearer token was sent'))
    const key = createHash('sha256').update(`${path}\n${token}`).digest('base64')
    const known = decisions.get(key)
    if (known !== undefined && known.untilMs > clock.now()) return known.decision
    const decision = review(client, token, path).catch((error: unknown): MetricsRefusal => {
      decisions.delete(key)
      return { code: 503, text: `The API server could not review the request: ${error instanceof Error ? error.message : String(error)}\n` }
    })
    decisions.delete(key)
    decisions.set(key, { untilMs: clock.now() + decisionMs, decision })
    const [oldest] = decisions.keys()
    if (decisions.size > mostDecisions && oldest !== undefined) decisions.delete(oldest)
    return decision
  }
}

async function review(client: Pick<Client, 'create'>, token: string, path: string): Promise<MetricsRefusal | undefined> {
  const options = { signal: AbortSignal.timeout(reviewMs) }
  const tokenReview: TokenReview = { metadata: {}, spec: { token } }
  const { status: identity } = await client.create<TokenReview>(tokenReviews, tokenReview, options)
  if (identity?.authenticated !== true) return unauthorized(identity?.error ?? 'the token is not valid')
  const { username = '', uid, groups = [], extra = {} } = identity.user ?? {}
  const accessReview: SubjectAccessReview = {
    metadata: {},
    spec: { user: username, ...(uid === undefined ? {} : { uid }), groups, extra, nonResourceAttributes: { path, verb: 'get' } },
  }
  const { status: access } = await client.create<SubjectAccessReview>(subjectAccessReviews, accessReview, options)
  if (access?.allowed === true && access.denied !== true) return undefined
  return { code: 403, text: `User "${username}" cannot get path "${path}": bind it to the ClusterRole system:monitoring\n` }
}

function unauthorized(why: string): MetricsRefusal {
  return { code: 401, text: `Unauthorized: ${why}. Send "Authorization: Bearer" with the token of a service account\n` }
}
