/** What a request to the API server is about: the labels of metrics about it. */
export interface RequestTarget {
  /** `LIST`, `WATCH`, `GET`, `CREATE`, `UPDATE`, `PATCH`, `DELETE`, or `none`. */
  readonly verb: string
  /** Plural name of the kind, or `none`. */
  readonly resource: string
  /** Path without names of namespaces and objects, so that each kind has few of them. */
  readonly template: string
}

const verbs: Readonly<Record<string, string>> = { POST: 'CREATE', PUT: 'UPDATE' }

/** Returns what a request is about. Pure. */
export function requestTarget(method: string, path: string): RequestTarget {
  const [plain = '', query = ''] = path.split('?', 2)
  const segments = plain.split('/').slice(1)
  // /api/v1/… or /apis/group/version/…
  const prefix = segments[0] === 'api' ? 2 : segments[0] === 'apis' ? 3 : segments.length
  const rest = segments.slice(prefix)
  if (rest.length === 0) return { verb: 'none', resource: 'none', template: plain }
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2
  const [resource = '', name, ...subresource] = isNamespaced ? rest.slice(2) : rest
  const template = [
    '',
    ...segments.slice(0, prefix),
    ...(isNamespaced ? ['namespaces', '{namespace}'] : []),
    resource,
    ...(name === undefined ? [] : ['{name}']),
    // What follows a subresource is chosen freely: a port, or a path of the pod.
    ...subresource.slice(0, 1),
  ].join('/')
  return { verb: verbOf(method, query, name === undefined), resource, template }
}

function verbOf(method: string, query: string, isCollection: boolean): string {
  if (method !== 'GET') return verbs[method] ?? method
  if (/(^|&)watch=true(&|$)/.test(query)) return 'WATCH'
  return isCollection ? 'LIST' : 'GET'
}
