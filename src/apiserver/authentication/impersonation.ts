import { badRequest } from '#apimachinery/errors.ts'
import type { AccessAttributes, Authorizer } from '#apiserver/authorization/authorizer.ts'
import { accessDenied } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/endpoints/api-request.ts'
import { headerOf, type RequestHeaders } from '#apiserver/front/exchange.ts'

const extraPrefix = 'impersonate-extra-'

function listOf(headers: RequestHeaders, name: string): readonly string[] {
  const value = headers[name]
  if (value === undefined) return []
  // Node joins repeated headers of this kind with a comma.
  return [value].flat().flatMap((text) => text.split(',').map((item) => item.trim()))
}

function impersonate(
  resource: string,
  name: string,
  extra: { namespace?: string | undefined; group?: string; subresource?: string } = {},
): AccessAttributes {
  return {
    kind: 'resource',
    verb: 'impersonate',
    group: '',
    version: 'v1',
    resource,
    subresource: '',
    namespace: undefined,
    name,
    ...extra,
  }
}

// Nearly no request does, and this runs for each.
function isImpersonating(headers: RequestHeaders): boolean {
  for (const name in headers) if (name.startsWith('impersonate-')) return true
  return false
}

/**
 * Whom the request wants to act as: `Impersonate-User` and its companions, as `kubectl --as` sends them.
 * Every name asked for needs the verb impersonate. @throws StatusError 400, 403
 */
export function impersonatedUser(user: UserInfo, headers: RequestHeaders, authorize: Authorizer): UserInfo {
  if (!isImpersonating(headers)) return user
  const username = headerOf(headers, 'impersonate-user')
  const groups = listOf(headers, 'impersonate-group')
  const extraKeys = Object.keys(headers).filter((name) => name.startsWith(extraPrefix))
  if (username === undefined || username === '') {
    if (groups.length > 0 || extraKeys.length > 0)
      throw badRequest('requested impersonation of groups or extra without impersonating a user')
    return user
  }

  const check = (attributes: AccessAttributes): void => {
    const decision = authorize(user, attributes)
    if (!decision.allowed) throw accessDenied(user, attributes, decision.reason)
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username)
  if (account === null) check(impersonate('users', username))
  else check(impersonate('serviceaccounts', account[2] ?? '', { namespace: account[1] }))
  for (const group of groups) check(impersonate('groups', group))

  const extra: Record<string, readonly string[]> = {}
  for (const header of extraKeys) {
    const key = decodeURIComponent(header.slice(extraPrefix.length))
    const values = listOf(headers, header)
    for (const value of values) check(impersonate('userextras', value, { group: 'authentication.k8s.io', subresource: key }))
    extra[key] = values
  }

  const implied = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1] ?? ''}`]
  const own = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated'
  const all = [...new Set([...(groups.length > 0 ? groups : implied), own])]
  return { username, groups: all, ...(extraKeys.length > 0 ? { extra } : {}) }
}
