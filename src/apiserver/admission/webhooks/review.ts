import type { AdmissionResponse, AdmissionReview } from '#api/admission/v1/admission-review.ts'
import { type Status, StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { applyJsonPatch, type JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import type { AdmissionRequest } from '#apiserver/admission/chain.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** A webhook answered, but not as the protocol wants. */
export class InvalidReview extends Error {
  override readonly name = 'InvalidReview'
}

const apiVersion = 'admission.k8s.io/v1'
const optionKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

function kindOf({ group, version, kind }: ResourceDefinition): { group: string; version: string; kind: string } {
  return { group, version, kind }
}
function resourceOf({ group, version, plural }: ResourceDefinition): { group: string; version: string; resource: string } {
  return { group, version, resource: plural }
}

function inVersion(object: KubeObject | undefined, version: ResourceDefinition): KubeObject | null {
  if (object === undefined) return null
  const wanted = apiVersionOf(version)
  return object.apiVersion === wanted ? object : { ...object, apiVersion: wanted }
}

/** The question to a webhook that wants to see the request in the given version. */
export function reviewOf(request: AdmissionRequest, version: ResourceDefinition, uid: string): AdmissionReview {
  const { target, operation, context, dryRun } = request
  const { definition, namespace = '', name, subresource } = target
  const { username, uid: userUid, groups, extra } = context.user
  const options = { kind: optionKinds[operation], apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) }
  return {
    kind: 'AdmissionReview',
    apiVersion,
    request: {
      uid,
      kind: kindOf(version),
      resource: resourceOf(version),
      ...(subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource }),
      requestKind: kindOf(definition),
      requestResource: resourceOf(definition),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: {
        username,
        groups: [...groups],
        ...(userUid === undefined ? {} : { uid: userUid }),
        ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
      },
      object: inVersion(request.object, version),
      oldObject: inVersion(request.old, version),
      dryRun,
      options: operation === 'DELETE' ? options : ({ ...options, fieldManager: context.fieldManager } as KubeObject),
    },
  }
}

/** Checks the form of an answer. @throws InvalidReview */
export function responseOf(answer: unknown, uid: string): AdmissionResponse {
  if (typeof answer !== 'object' || answer === null) throw new InvalidReview('Answer is not an object')
  const review = answer as Partial<AdmissionReview>
  if (review.kind !== 'AdmissionReview' || review.apiVersion !== apiVersion) {
    throw new InvalidReview(
      `Answer must be an AdmissionReview of ${apiVersion}, but is a ${review.kind ?? 'thing without kind'} of ${review.apiVersion ?? 'no version'}`,
    )
  }
  const { response } = review
  if (response === undefined || response === null) throw new InvalidReview('Answer has no response')
  if (response.uid !== uid) throw new InvalidReview(`Answer must be for uid "${uid}", but is for "${String(response.uid)}"`)
  return response
}

/** What to throw when a webhook refuses. Its own code, reason and details are kept. */
export function denial(webhook: string, response: AdmissionResponse): StatusError {
  const said = (response.status ?? {}) as Partial<Status>
  const deniedBy = `admission webhook "${webhook}" denied the request`
  const message = said.message || said.reason
  return new StatusError({
    ...said,
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message === undefined || message === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${message}`,
    code: said.code !== undefined && said.code >= 400 ? said.code : 400,
  })
}

/** The object as a mutating webhook wants it; undefined when it changes nothing. @throws InvalidReview */
export function patched(object: KubeObject, response: AdmissionResponse, version: ResourceDefinition): KubeObject | undefined {
  const { patch, patchType } = response
  if (patch === undefined || patch === null || patch === '') {
    if (patchType !== undefined) throw new InvalidReview('Answer has a patchType but no patch')
    return undefined
  }
  if (patchType !== 'JSONPatch') throw new InvalidReview(`Answer has a patch of type "${String(patchType)}": must be "JSONPatch"`)
  const operations = parsePatch(patch)
  if (operations.length === 0) return undefined
  try {
    const changed = applyJsonPatch(inVersion(object, version), operations) as KubeObject
    // Back in the version in which the request came.
    return object.apiVersion === undefined ? changed : { ...changed, apiVersion: object.apiVersion }
  } catch (error) {
    throw new InvalidReview(`Patch does not apply: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function parsePatch(text: string): readonly JsonPatchOperation[] {
  try {
    const operations: unknown = JSON.parse(Buffer.from(text, 'base64').toString())
    if (Array.isArray(operations)) return operations as JsonPatchOperation[]
  } catch (error) {
    throw new InvalidReview('Patch is not base64 of JSON', { cause: error })
  }
  throw new InvalidReview('Patch is not a list of operations')
}
