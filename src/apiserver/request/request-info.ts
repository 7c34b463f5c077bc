/** A request for a resource. */
export interface ResourceRequest {
  readonly kind: 'resource'
  /**
   * get, list, watch, create, update, patch, delete or deletecollection; empty for other methods.
   */
  readonly verb: string
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Undefined without a namespace in the path: cluster scope, or all namespaces. */
  readonly namespace: string | undefined
  /** Lower-case plural. */
  readonly resource: string
  /** Empty for a collection. */
  readonly name: string
  /** Empty, or `status`, `scale`, `log` … */
  readonly subresource: string
  /** Path after the subresource, for proxies. */
  readonly rest: readonly string[]
  readonly path: string
}

/** Any other request: discovery, health, metrics, OpenAPI. */
export interface NonResourceRequest {
  readonly kind: 'nonResource'
  /** Lower-case HTTP method. */
  readonly verb: string
  readonly path: string
}

/** Target of a request, parsed before authentication. */
export type RequestInfo = ResourceRequest | NonResourceRequest

const verbsOfMethod: ReadonlyMap<string, readonly [named: string, collection: string]> = new Map([
  ['GET', ['get', 'list']],
  ['HEAD', ['get', 'list']],
  ['POST', ['create', 'create']],
  ['PUT', ['update', 'update']],
  ['PATCH', ['patch', 'patch']],
  ['DELETE', ['delete', 'deletecollection']],
])
// An HTTP/2 method can be any word, so `DELETECOLLECTION` must not become a verb.
const noVerbs = ['', ''] as const

/**
 * Subresources of a Namespace. Any other third segment below `/namespaces/<name>` is a resource.
 */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize'])

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Reports whether a flag is set: `watch`, `watch=1`, `watch=true`. */
export function isTrue(value: string | null | undefined): boolean {
  return value !== null && value !== undefined && value !== '0' && value.toLowerCase() !== 'false'
}

/** Parses method and path. `query` is used for `watch` only. */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const nonResource: NonResourceRequest = { kind: 'nonResource', verb: method.toLowerCase(), path }
  const segments: string[] = []
  for (const segment of path.split('/')) if (segment !== '') segments.push(decodeSegment(segment))
  const prefix = segments[0]
  const start = prefix === 'api' ? 2 : prefix === 'apis' ? 3 : undefined
  if (start === undefined || segments.length <= start) return nonResource
  const group = prefix === 'api' ? '' : (segments[1] ?? '')
  const version = segments[start - 1] ?? ''
  let parts = segments.slice(start)
  // Old clients send watch as a path segment.
  const legacyWatch = parts[0] === 'watch' && parts.length > 1
  if (legacyWatch) parts = parts.slice(1)

  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2 && !namespaceSubresources.has(parts[2] ?? '')
  const namespace = isNamespaced ? parts[1] : undefined
  const [resource = '', name = '', subresource = '', ...rest] = isNamespaced ? parts.slice(2) : parts

  const [named, collection] = verbsOfMethod.get(method) ?? noVerbs
  const watch =
    subresource === '' && (named === 'get' || collection === 'list') && (legacyWatch || (query.has('watch') && isTrue(query.get('watch'))))
  const verb = watch ? 'watch' : name === '' ? collection : named
  return { kind: 'resource', verb, group, version, namespace, resource, name, subresource, rest, path }
}
