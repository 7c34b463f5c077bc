import type { ConversionReview } from '#api/apiextensions/v1/conversion-review.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { ConversionFailure } from './conversion-failure.ts'
import { restoredMetadata } from './restored-metadata.ts'

/** Supported versions of ConversionReview, best first. They differ in name only. */
const reviewVersions: readonly string[] = ['v1', 'v1beta1']

/** Returns the first version that webhook and server support, or undefined. */
export function commonReviewVersion(spoken: readonly string[]): string | undefined {
  return spoken.find((version) => reviewVersions.includes(version))
}

/** Builds a ConversionReview. */
export function conversionReviewOf(
  version: string,
  uid: string,
  objects: readonly KubeObject[],
  desiredAPIVersion: string,
): ConversionReview {
  return {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion, objects: [...objects] },
  }
}

/** Formats a type as in Kubernetes' messages. */
export function groupVersionKindText({ apiVersion = '', kind = '' }: { apiVersion?: unknown; kind?: unknown }): string {
  return `${text(apiVersion)}, Kind=${text(kind)}`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Returns the converted objects. @throws ConversionFailure for an invalid answer or a failed
 * conversion
 */
export function convertedObjectsOf(answer: unknown, version: string, uid: string): readonly unknown[] {
  const wanted = { apiVersion: `apiextensions.k8s.io/${version}`, kind: 'ConversionReview' }
  const { response, ...review } = (isJsonObject(answer) ? answer : {}) as Partial<ConversionReview>
  if (review.apiVersion !== wanted.apiVersion || review.kind !== wanted.kind) {
    throw new ConversionFailure(`expected webhook response of ${groupVersionKindText(wanted)}, got ${groupVersionKindText(review)}`)
  }
  if (!isJsonObject(response)) throw new ConversionFailure('no response provided')
  if (response.uid !== uid) throw new ConversionFailure(`expected response.uid="${uid}", got ${JSON.stringify(text(response.uid))}`)
  const { result, convertedObjects } = response
  const { status, message } = isJsonObject(result) ? result : {}
  if (status !== 'Success') {
    throw new ConversionFailure(text(message) === '' ? `response.result.status was '${text(status)}', not 'Success'` : text(message))
  }
  return Array.isArray(convertedObjects) ? convertedObjects : []
}

/** Names of a converted object in Kubernetes' messages, which depend on the number of objects. */
interface ConvertedPlace {
  readonly type: string
  readonly object: string
  readonly metadata: string
}

/** Names one of `count` converted objects. */
export function convertedPlace(index: number, count: number): ConvertedPlace {
  if (count === 1) return { type: 'object at index 0', object: 'object', metadata: 'metadata' }
  const object = `converted object at index ${index}`
  return { type: object, object, metadata: `metadata in object at index ${index}` }
}

/** Checks a converted object. @throws ConversionFailure when it changes more than a webhook may */
export function acceptConverted(original: KubeObject, converted: unknown, apiVersion: string, place: ConvertedPlace): KubeObject {
  const { apiVersion: gotVersion, kind: gotKind } = isJsonObject(converted) ? converted : {}
  if (!isJsonObject(converted)) throw new ConversionFailure(`invalid ${place.type}: is not an object`)
  if (gotVersion !== apiVersion) {
    throw new ConversionFailure(`invalid ${place.type}: invalid groupVersion (expected ${apiVersion}, received ${text(gotVersion)})`)
  }
  if (gotKind !== original.kind)
    throw new ConversionFailure(`invalid ${place.type}: invalid kind (expected ${original.kind ?? ''}, received ${text(gotKind)})`)
  const { metadata } = converted
  for (const [what, field] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['UID', 'uid'],
  ] as const) {
    const before = original.metadata?.[field] ?? ''
    const after = text(isJsonObject(metadata) ? metadata[field] : '')
    if (before !== after) throw new ConversionFailure(`invalid ${place.object}: must have the same ${what}: ${before} != ${after}`)
  }
  return { ...converted, metadata: restoredMetadata(original.metadata ?? {}, metadata, place.metadata) }
}
