import { authorizerValue, type CelAuthorizer, resourceCheckValue } from '#apimachinery/cel/authorizer.ts'
import type { CelBindings } from '#apimachinery/cel/evaluator/frame.ts'
import { fromJson } from '#apimachinery/cel/values/json-values.ts'
import { libraryType } from '#apimachinery/cel/types/signature.ts'
import { bool, type CelType, dyn, listOf, mapOf, objectOf, string } from '#apimachinery/cel/types/types.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { RequestFacts } from '#apiserver/admission/review-request.ts'

const versionKind = objectOf('kubernetes.GroupVersionKind', { group: string, version: string, kind: string })
const versionResource = objectOf('kubernetes.GroupVersionResource', { group: string, version: string, resource: string })

const requestType: CelType = objectOf('kubernetes.AdmissionRequest', {
  kind: versionKind,
  resource: versionResource,
  subResource: string,
  requestKind: versionKind,
  requestResource: versionResource,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: objectOf('kubernetes.UserInfo', {
    username: string,
    uid: string,
    groups: listOf(string),
    extra: mapOf(string, listOf(string)),
  }),
  dryRun: bool,
  options: dyn,
})

/** Types of the CEL variables about a request. */
export const requestVariables: Readonly<Record<string, CelType>> = {
  object: dyn,
  oldObject: dyn,
  request: requestType,
  authorizer: libraryType('Authorizer'),
  'authorizer.requestResource': libraryType('ResourceCheck'),
}

/** Binds {@link requestVariables} for one request in the matched version. */
export function requestBindings(
  request: RequestFacts,
  { object, old }: { readonly object: KubeObject | undefined; readonly old: KubeObject | undefined },
  authorize: CelAuthorizer,
): CelBindings {
  const { resource, subResource = '', namespace = '', name = '' } = request
  return {
    object: fromJson(object ?? null),
    oldObject: fromJson(old ?? null),
    request: fromJson(request, requestType),
    authorizer: authorizerValue(authorize),
    'authorizer.requestResource': resourceCheckValue(authorize, {
      group: resource.group,
      resource: resource.resource,
      ...(subResource === '' ? {} : { subresource: subResource }),
      ...(namespace === '' ? {} : { namespace }),
      ...(name === '' ? {} : { name }),
    }),
  }
}
