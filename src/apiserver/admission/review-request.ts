import type { AdmissionRequest as ReviewRequest } from '#api/admission/v1/admission-review.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { AdmissionRequest } from './chain.ts'
import { shownKind } from './admission-object.ts'

/** Fields of an AdmissionRequest except the objects. */
export type RequestFacts = Omit<ReviewRequest, 'object' | 'oldObject'>

const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

function resourceOf({ group, version, plural }: ResourceDefinition): ReviewRequest['resource'] {
  return { group, version, resource: plural }
}

/** Builds the fields for a webhook or policy that matches the given version. */
export function requestFacts(request: AdmissionRequest, version: ResourceDefinition, uid: string): RequestFacts {
  const { target, operation, context, dryRun } = request
  const { definition, namespace = '', name, subresource } = target
  const shown = request.object ?? request.old
  return {
    uid,
    kind: shownKind(target, version, shown),
    resource: resourceOf(version),
    ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
    requestKind: shownKind(target, definition, shown),
    requestResource: resourceOf(definition),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: wireUser(context.user),
    dryRun,
    options: operation === 'CONNECT' ? null : optionsOf(operation, request),
  }
}

/** Converts a user to `authentication.k8s.io/v1` UserInfo. */
export function wireUser({ username, uid, groups, extra }: UserInfo): ReviewRequest['userInfo'] {
  return {
    username,
    groups: [...groups],
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  }
}

function optionsOf(operation: keyof typeof optionKinds, { dryRun, context }: AdmissionRequest): KubeObject {
  const options = { kind: optionKinds[operation], apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) }
  return operation === 'DELETE' ? options : ({ ...options, fieldManager: context.fieldManager } as KubeObject)
}
