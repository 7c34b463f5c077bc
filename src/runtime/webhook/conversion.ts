import type { ConversionRequest, ConversionReview } from '#api/apiextensions/v1/conversion-review.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseReview } from './parse-review.ts'

/** Converts one object to another version of its kind. Its errors are returned to the client. */
export type ConversionHandler = (object: KubeObject, apiVersion: string) => KubeObject

const apiVersion = 'apiextensions.k8s.io/v1'

/**
 * Answers a ConversionReview: all objects, or the reason why one of them cannot be converted.
 * @throws StatusError (400) for anything else
 */
export function answerConversion(handler: ConversionHandler, body: string): ConversionReview {
  const { uid, desiredAPIVersion, objects } = questionIn(body)
  const answer = (response: object): ConversionReview => ({ apiVersion, kind: 'ConversionReview', response: { uid, ...response } as never })
  try {
    const convertedObjects = objects.map((object) => handler(object, desiredAPIVersion))
    return answer({ convertedObjects, result: { status: 'Success' } })
  } catch (error) {
    return answer({ result: { status: 'Failed', message: error instanceof Error ? error.message : String(error) } })
  }
}

function questionIn(body: string): ConversionRequest {
  const { request } = parseReview<ConversionReview>(body, 'ConversionReview', apiVersion)
  if (typeof request?.uid !== 'string' || typeof request.desiredAPIVersion !== 'string' || !Array.isArray(request.objects)) {
    throw badRequest('the ConversionReview must have a request with uid, desiredAPIVersion and objects')
  }
  return request
}
