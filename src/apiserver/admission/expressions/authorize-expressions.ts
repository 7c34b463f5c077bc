import type { CelAccessCheck, CelAuthorizer } from '#apimachinery/cel/authorizer.ts'
import type { AccessAttributes, Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { accountUsername } from '#apiserver/service-accounts/claims.ts'

/** Implements the CEL variable `authorizer` for the user of the request or a service account. */
export function expressionAuthorizer(authorize: Authorizer, user: UserInfo): CelAuthorizer {
  return (check) => authorize(userOf(check, user), attributesOf(check))
}

function userOf({ serviceAccount }: CelAccessCheck, user: UserInfo): UserInfo {
  if (serviceAccount === undefined) return user
  const { namespace, name } = serviceAccount
  return {
    username: accountUsername(namespace, name),
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  }
}

function attributesOf({ verb, path, group = '', resource = '', subresource = '', namespace, name = '' }: CelAccessCheck): AccessAttributes {
  if (path !== undefined) return { kind: 'nonResource', verb, path }
  return { kind: 'resource', verb, group, version: '*', resource, subresource, namespace: namespace === '' ? undefined : namespace, name }
}
