import { badRequest } from '#apimachinery/errors.ts'

/**
 * Reads the body of a webhook's request as a review of a kind and version. @throws StatusError
 * (400) for anything else
 */
export function parseReview<T extends { readonly kind?: string; readonly apiVersion?: string }>(
  body: string,
  kind: string,
  apiVersion: string,
): Partial<T> {
  const article = /^[AEIOU]/.test(kind) ? 'an' : 'a'
  let review: Partial<T> | null
  try {
    review = JSON.parse(body) as Partial<T> | null
  } catch {
    throw badRequest(`the body must be ${article} ${kind} in JSON`)
  }
  if (review?.kind !== kind || review.apiVersion !== apiVersion) {
    throw badRequest(`the body must be ${article} ${kind} of ${apiVersion}: it is "${review?.kind}" of "${review?.apiVersion}"`)
  }
  return review
}
