import { forbidden, forbiddenPath, type StatusError } from '#apimachinery/errors.ts'
import { parseFieldSelector } from '#apimachinery/selectors/field-selector.ts'
import { SelectorError } from '#apimachinery/selectors/selector-error.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'

/** Attributes of a request, for authorization. */
export type AccessAttributes =
  | {
      readonly kind: 'resource'
      readonly verb: string
      readonly group: string
      readonly version: string
      readonly resource: string
      readonly subresource: string
      /** Undefined at cluster scope. */
      readonly namespace: string | undefined
      /** Empty for a collection. */
      readonly name: string
    }
  | { readonly kind: 'nonResource'; readonly verb: string; readonly path: string }

/** Decision; `reason` is shown to a refused user. */
export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
}

/** Decides synchronously from memory. */
export type Authorizer = (user: UserInfo, attributes: AccessAttributes) => AccessDecision

/**
 * Derives the attributes of a request. A list or watch of one name counts as a request for that
 * object.
 */
export function attributesOf(info: RequestInfo, query: URLSearchParams): AccessAttributes {
  if (info.kind === 'nonResource') return { kind: 'nonResource', verb: info.verb, path: info.path }
  const { verb, group, version, resource, subresource } = info
  const isNamespace = group === '' && resource === 'namespaces' && info.name !== ''
  const selected =
    info.name === '' && (verb === 'list' || verb === 'watch' || verb === 'deletecollection') ? selectedName(query.get('fieldSelector')) : ''
  const name = info.name === '' ? selected : info.name
  return { kind: 'resource', verb, group, version, resource, subresource, namespace: isNamespace ? info.name : info.namespace, name }
}

/** Parses the selector exactly as the list does: a difference would bypass authorization. */
function selectedName(fieldSelector: string | null): string {
  if (fieldSelector === null || !fieldSelector.includes('metadata.name')) return ''
  try {
    const names = parseFieldSelector(fieldSelector).filter(({ field, operator }) => field === 'metadata.name' && operator === '=')
    return names[0]?.value ?? ''
  } catch (error) {
    if (error instanceof SelectorError) return ''
    throw error
  }
}

function describe(user: UserInfo, attributes: AccessAttributes): string {
  if (attributes.kind === 'nonResource') return `User "${user.username}" cannot ${attributes.verb} path "${attributes.path}"`
  const { verb, group, resource, subresource, namespace } = attributes
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === undefined || namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`
  return `User "${user.username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`
}

/** 403 in Kubernetes' words. */
export function accessDenied(user: UserInfo, attributes: AccessAttributes, reason: string): StatusError {
  const why = reason === '' ? describe(user, attributes) : `${describe(user, attributes)}: ${reason}`
  if (attributes.kind === 'nonResource') return forbiddenPath(why)
  const { group, resource, name } = attributes
  return forbidden({ group, plural: resource }, name, why)
}
