import { invalid } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { AccessAttributes } from '#apiserver/authorization/authorizer.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** Spec of an access review. Selectors are accepted and have no effect. */
export interface AccessQuestion {
  readonly resourceAttributes: {
    readonly namespace?: string
    readonly verb?: string
    readonly group?: string
    readonly version?: string
    readonly resource?: string
    readonly subresource?: string
    readonly name?: string
  }
  readonly nonResourceAttributes: { readonly path?: string; readonly verb?: string }
  readonly user: string
  readonly groups: readonly string[]
  readonly uid: string
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** Returns the attributes of a review. @throws StatusError 422 */
export function attributesOfReview(definition: ResourceDefinition, spec: Partial<AccessQuestion>): AccessAttributes {
  const { resourceAttributes: asked, nonResourceAttributes: path } = spec
  if (asked !== undefined && path === undefined) {
    const { verb = '', group = '', version = '', resource = '', subresource = '', namespace = '', name = '' } = asked
    return { kind: 'resource', verb, group, version, resource, subresource, namespace: namespace === '' ? undefined : namespace, name }
  }
  if (path !== undefined && asked === undefined) return { kind: 'nonResource', verb: path.verb ?? '', path: path.path ?? '' }
  throw invalid(definition, '', [
    asked === undefined
      ? invalidValue('spec.resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')
      : invalidValue('spec.nonResourceAttributes', path, 'cannot be specified in combination with resourceAttributes'),
  ])
}

/** Returns the user of a review. @throws StatusError 422 */
export function subjectOfReview(definition: ResourceDefinition, spec: Partial<AccessQuestion>): UserInfo {
  const { user = '', groups = [], uid, extra } = spec
  if (user === '' && groups.length === 0) {
    throw invalid(definition, '', [invalidValue('spec.user', user, 'at least one of user or group must be specified')])
  }
  return { username: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) }
}
