import { schemas as authentication } from '#api/authentication/v1/schema.generated.ts'
import { schemas as authorization } from '#api/authorization/v1/schema.generated.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** A review that is posted like an object and answered in its status. */
export interface Review {
  readonly definition: ResourceDefinition
  /** Returns the status. @throws StatusError for an invalid review */
  readonly answer: (question: KubeObject, user: UserInfo, namespace: string | undefined) => object
}

const schemas = { ...authentication, ...authorization }

/** A kind that can be posted and is never stored. */
export function reviewKind(group: string, version: string, kind: string, namespaced: boolean = false): ResourceDefinition {
  const schema = schemas[kind]
  return defineResource({
    group,
    version,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    verbs: ['create'],
    ...(schema === undefined ? {} : { schema }),
  })
}

/** Returns the spec of the review. */
export function specOf<T extends object>(question: KubeObject): Partial<T> {
  const { spec } = question as { spec?: Partial<T> }
  return spec ?? {}
}
