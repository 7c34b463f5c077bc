import { badRequest } from '#apimachinery/errors.ts'
import type { AccessAttributes, Authorizer } from '#apiserver/authorization/authorizer.ts'
import { accessDenied } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestHeaders } from '#apiserver/http/exchange.ts'
import { anonymous } from './authenticator.ts'
import { extraOf, valueOf, valuesOf } from './identity-headers.ts'

const authenticationGroup = 'authentication.k8s.io'

function impersonate(
  resource: string,
  name: string,
  more: Partial<Extract<AccessAttributes, { kind: 'resource' }>> = {},
): AccessAttributes {
  const none = { group: '', version: 'v1', subresource: '', namespace: undefined }
  return { kind: 'resource', verb: 'impersonate', resource, name, ...none, ...more }
}

// Checked first, as it runs for every request.
function isImpersonating(headers: RequestHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true
  return false
}

/** Adds system:authenticated or system:unauthenticated, unless the groups contain it. */
function withOwnGroup(username: string, groups: readonly string[]): readonly string[] {
  if (username === anonymous.username) return [...new Set([...groups, ...anonymous.groups])]
  const decided = groups.includes('system:authenticated') || groups.includes('system:unauthenticated')
  return [...new Set(decided ? groups : [...groups, 'system:authenticated'])]
}

/**
 * Returns the user of `Impersonate-User` etc., as `kubectl --as` sends them. Every name requires
 * the verb impersonate. @throws StatusError 400, 403
 */
export function impersonatedUser(user: UserInfo, headers: RequestHeaders, authorize: Authorizer): UserInfo {
  if (!isImpersonating(headers)) return user
  const username = valueOf(headers, 'impersonate-user') ?? ''
  const uid = valueOf(headers, 'impersonate-uid') ?? ''
  const groups = valuesOf(headers, 'impersonate-group')
  const extra = extraOf(headers, 'impersonate-extra-')
  const extraKeys = Object.keys(extra)
  if (username === '') {
    if (groups.length === 0 && extraKeys.length === 0 && uid === '') return user
    throw badRequest('requested impersonation of a uid, groups or extra without impersonating a user: send Impersonate-User too')
  }

  const check = (attributes: AccessAttributes): void => {
    const decision = authorize(user, attributes)
    if (!decision.allowed) throw accessDenied(user, attributes, decision.reason)
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username)
  if (account === null) check(impersonate('users', username))
  else check(impersonate('serviceaccounts', account[2] ?? '', { namespace: account[1] }))
  for (const group of groups) check(impersonate('groups', group))
  for (const key of extraKeys) {
    for (const value of extra[key] ?? []) check(impersonate('userextras', value, { group: authenticationGroup, subresource: key }))
  }
  if (uid !== '') check(impersonate('uids', uid, { group: authenticationGroup }))

  const implied = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`]
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    groups: withOwnGroup(username, groups.length > 0 ? groups : implied),
    ...(extraKeys.length > 0 ? { extra } : {}),
  }
}
