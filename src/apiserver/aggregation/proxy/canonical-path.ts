import { badRequest } from '#apimachinery/errors.ts'

/**
 * Refuses paths that the backend could parse differently from the authorizer: encoded slashes,
 * dots, empty segments. `url` is path and query as sent. @throws StatusError 400
 */
export function assertCanonicalPath(url: string): void {
  const path = url.split('?', 1)[0] ?? ''
  const [first, ...segments] = path.split('/')
  // Many clients send one trailing slash.
  if (segments.at(-1) === '') segments.pop()
  const isPlain = (segment: string): boolean =>
    segment !== '' && !/%(?:2f|5c|00|25)|[\\#]/i.test(segment) && !/^(?:\.|%2e){1,2}$/i.test(segment)
  if (first !== '' || !segments.every(isPlain))
    throw badRequest('the path must not have empty segments, dots, or encoded slashes, backslashes or percent signs')
}
