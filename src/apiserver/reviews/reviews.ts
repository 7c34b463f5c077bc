import { badRequest, methodNotAllowed, pathNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AccessAttributes, Authorizer } from '#apiserver/authorization/authorizer.ts'
import type { PolicyRule } from '#apiserver/authorization/policy.ts'
import type { Rbac } from '#apiserver/authorization/rbac.ts'
import type { VirtualResource } from '#apiserver/discovery/api-groups.ts'
import type { UserInfo } from '#apiserver/endpoints/api-request.ts'
import { readObject } from '#apiserver/front/body.ts'
import type { ResourceCall } from '#apiserver/front/resource-handler.ts'

/** A question that is posted like an object and answered in its status. */
interface Review extends VirtualResource {
  readonly answer: (object: KubeObject, user: UserInfo, namespace: string | undefined) => KubeObject
}

/** Reviews of access and identity. */
export interface Reviews {
  readonly resources: readonly VirtualResource[]
  /** Undefined when the call is for no review. */
  handle(call: ResourceCall): Promise<void> | undefined
}

interface AccessSpec {
  readonly resourceAttributes?: {
    readonly namespace?: string
    readonly verb?: string
    readonly group?: string
    readonly version?: string
    readonly resource?: string
    readonly subresource?: string
    readonly name?: string
  }
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
  readonly user?: string
  readonly groups?: readonly string[]
  readonly uid?: string
}

function specOf<T>(object: KubeObject): T {
  return ((object as { spec?: T }).spec ?? {}) as T
}

/** What a review asks about. @throws StatusError 400 */
function attributesOfReview(spec: AccessSpec): AccessAttributes {
  const { resourceAttributes: asked, nonResourceAttributes: path } = spec
  if (asked !== undefined && asked !== null) {
    return {
      kind: 'resource',
      verb: asked.verb ?? '',
      group: asked.group ?? '',
      version: asked.version ?? '',
      resource: asked.resource ?? '',
      subresource: asked.subresource ?? '',
      namespace: asked.namespace === undefined || asked.namespace === '' ? undefined : asked.namespace,
      name: asked.name ?? '',
    }
  }
  if (path !== undefined && path !== null) return { kind: 'nonResource', verb: path.verb ?? '', path: path.path ?? '' }
  throw badRequest('exactly one of resourceAttributes or nonResourceAttributes must be given')
}

function reviewAccess(authorize: Authorizer, object: KubeObject, user: UserInfo, attributes: AccessAttributes): KubeObject {
  const { allowed, reason } = authorize(user, attributes)
  return { ...object, status: { allowed, ...(reason === '' ? {} : { reason }) } } as KubeObject
}

function subjectOf(spec: AccessSpec): UserInfo {
  if ((spec.user ?? '') === '' && (spec.groups ?? []).length === 0) throw badRequest('at least one of user or groups must be given')
  return { username: spec.user ?? '', groups: spec.groups ?? [], ...(spec.uid === undefined ? {} : { uid: spec.uid }) }
}

function rulesReview(object: KubeObject, rules: readonly PolicyRule[]): KubeObject {
  const resourceRules = rules
    .filter((rule) => rule.resources !== undefined)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    }))
  const nonResourceRules = rules
    .filter((rule) => rule.nonResourceURLs !== undefined)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }))
  return { ...object, status: { resourceRules, nonResourceRules, incomplete: false } } as KubeObject
}

function access(kind: string, plural: string, namespaced: boolean): VirtualResource {
  return { group: 'authorization.k8s.io', version: 'v1', kind, plural, singular: kind.toLowerCase(), namespaced, verbs: ['create'] }
}

/** Answers `kubectl auth can-i`, `kubectl auth whoami`, and what components ask on behalf of their own callers. */
export function createReviews(authorize: Authorizer, rbac: Rbac): Reviews {
  const reviews: readonly Review[] = [
    {
      ...access('SelfSubjectAccessReview', 'selfsubjectaccessreviews', false),
      answer: (object, user) => reviewAccess(authorize, object, user, attributesOfReview(specOf(object))),
    },
    {
      ...access('SubjectAccessReview', 'subjectaccessreviews', false),
      answer: (object) => reviewAccess(authorize, object, subjectOf(specOf(object)), attributesOfReview(specOf(object))),
    },
    {
      ...access('LocalSubjectAccessReview', 'localsubjectaccessreviews', true),
      answer(object, _user, namespace) {
        const attributes = attributesOfReview(specOf(object))
        if (attributes.kind === 'nonResource' || attributes.namespace !== namespace) {
          throw badRequest(`the review is about another namespace than "${namespace ?? ''}", in which it was posted`)
        }
        return reviewAccess(authorize, object, subjectOf(specOf(object)), attributes)
      },
    },
    {
      ...access('SelfSubjectRulesReview', 'selfsubjectrulesreviews', false),
      answer(object, user) {
        const { namespace = '' } = specOf<{ namespace?: string }>(object)
        if (namespace === '') throw badRequest('spec.namespace must be given')
        const { cluster, byNamespace } = rbac.rulesOf(user)
        const master: readonly PolicyRule[] = user.groups.includes('system:masters')
          ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
          : []
        return rulesReview(object, [...master, ...cluster, ...(byNamespace.get(namespace) ?? [])])
      },
    },
    {
      group: 'authentication.k8s.io',
      version: 'v1',
      kind: 'SelfSubjectReview',
      plural: 'selfsubjectreviews',
      singular: 'selfsubjectreview',
      namespaced: false,
      verbs: ['create'],
      answer: (object, user) => ({ ...object, status: { userInfo: user } }) as KubeObject,
    },
  ]

  const answerTo = async (review: Review, { exchange, reply, info, user }: ResourceCall): Promise<void> => {
    if (info.verb !== 'create' || info.name !== '') throw methodNotAllowed(review, info.verb)
    if (review.namespaced !== (info.namespace !== undefined)) throw pathNotFound()
    const body = await readObject(exchange, { custom: false })
    if (body === undefined) throw badRequest(`the body is empty: it must be a ${review.kind}`)
    const object = { ...body.object, apiVersion: `${review.group}/${review.version}`, kind: review.kind }
    return reply.sendJson(201, [Buffer.from(JSON.stringify(review.answer(object, user, info.namespace)))])
  }

  return {
    resources: reviews,
    handle(call) {
      const { info } = call
      const review = reviews.find(
        ({ group, version, plural }) => group === info.group && version === info.version && plural === info.resource,
      )
      return review === undefined ? undefined : answerTo(review, call)
    },
  }
}
