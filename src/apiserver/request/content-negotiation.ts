/** Format of an answer. */
export type AnswerFormat = 'json' | 'yaml'

/** Representation of objects: whole, as a table, or metadata only. */
export type AnswerView = 'object' | 'table' | 'metadata'

/** Result of negotiation. */
export interface Negotiated {
  readonly format: AnswerFormat
  readonly view: AnswerView
  /** Version of `meta.k8s.io` for tables and partial objects. */
  readonly metaVersion: 'v1' | 'v1beta1'
}

/** A clause of an Accept header. */
export interface AcceptClause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** Supported media types of answers, for messages. */
export const answerTypes: readonly string[] = ['application/json', 'application/yaml']

const protobufType = 'application/vnd.kubernetes.protobuf'

const plainJson: Negotiated = { format: 'json', view: 'object', metaVersion: 'v1' }

/** Splits a media type into lower-case name and parameters. */
function parseMediaType(text: string): { readonly type: string; readonly parameters: ReadonlyMap<string, string> } {
  const [type = '', ...rest] = text.split(';')
  const parameters = new Map<string, string>()
  for (const part of rest) {
    const equals = part.indexOf('=')
    if (equals > 0)
      parameters.set(
        part.slice(0, equals).trim().toLowerCase(),
        part
          .slice(equals + 1)
          .trim()
          .replace(/^"(.*)"$/, '$1'),
      )
  }
  return { type: type.trim().toLowerCase(), parameters }
}

/** Parses an Accept header, best clause first; equal ones keep their order. */
export function parseAccept(header: string): readonly AcceptClause[] {
  return header
    .split(',')
    .map((text) => {
      const { type, parameters } = parseMediaType(text)
      const quality = Number(parameters.get('q') ?? 1)
      return { type, parameters, quality: Number.isNaN(quality) ? 0 : quality }
    })
    .filter((clause) => clause.type !== '' && clause.quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
}

function formatOf(type: string): AnswerFormat | undefined {
  switch (type) {
    case 'application/json':
    case 'application/*':
    case '*/*':
      return 'json'
    case 'application/yaml':
      return 'yaml'
    default:
      return undefined
  }
}

/** Properties of an endpoint. */
interface Endpoint {
  readonly list: boolean
  readonly watch: boolean
  /** True if the endpoint has no table or metadata representation. */
  readonly objectsOnly?: boolean
}

/** Returns the representation of a clause; undefined when unsupported. */
function viewOf(clause: AcceptClause, { list, objectsOnly = false }: Endpoint): Pick<Negotiated, 'view' | 'metaVersion'> | undefined {
  const as = clause.parameters.get('as')
  if (as === undefined) return { view: 'object', metaVersion: 'v1' }
  if (objectsOnly) return undefined
  const version = clause.parameters.get('v')
  if (clause.parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined
  if (as === 'Table') return { view: 'table', metaVersion: version }
  if (as === (list ? 'PartialObjectMetadataList' : 'PartialObjectMetadata')) return { view: 'metadata', metaVersion: version }
  return undefined
}

/**
 * Negotiates format and representation. Skips unsupported clauses, as clients list fallbacks.
 * @returns undefined when nothing matches: 406
 */
export function negotiate(accept: string | undefined, endpoint: Endpoint): Negotiated | undefined {
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return plainJson
  for (const clause of parseAccept(accept)) {
    const format = formatOf(clause.type)
    if (format === undefined || (endpoint.watch && format !== 'json')) continue
    const view = viewOf(clause, endpoint)
    if (view !== undefined) return { format, ...view }
  }
  return undefined
}

/** Format of a body. */
export type BodyFormat = 'json' | 'yaml' | 'protobuf'

/** Supported media types of bodies, and those that custom objects have in messages. */
export const bodyTypes: readonly string[] = ['application/json', 'application/yaml', protobufType]

/** Returns the format of a Content-Type; JSON when absent; undefined when unsupported: 415. */
export function bodyFormat(contentType: string | undefined): BodyFormat | undefined {
  if (contentType === undefined || contentType === '' || contentType === 'application/json') return 'json'
  switch (parseMediaType(contentType).type) {
    case 'application/json':
      return 'json'
    case 'application/yaml':
      return 'yaml'
    case protobufType:
      return 'protobuf'
    default:
      return undefined
  }
}

/** Returns the patch type of a Content-Type; undefined: 415. */
export function patchType(contentType: string | undefined): 'json' | 'merge' | 'strategic' | 'apply' | undefined {
  switch (parseMediaType(contentType ?? '').type) {
    case 'application/json-patch+json':
      return 'json'
    case 'application/merge-patch+json':
      return 'merge'
    case 'application/strategic-merge-patch+json':
      return 'strategic'
    case 'application/apply-patch+yaml':
      return 'apply'
    default:
      return undefined
  }
}

/** Media types of patches, for messages. */
export const patchTypes: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

/** Reports whether to indent the answer for a human reader. */
export function wantsPretty(pretty: string | null, userAgent: string | undefined): boolean {
  if (pretty !== null) return pretty === 'true' || pretty === '1'
  return userAgent !== undefined && /^(?:curl|Wget|Mozilla)/.test(userAgent)
}
