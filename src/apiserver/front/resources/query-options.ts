import { badRequest, invalid } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { DeleteQuery, GetQuery, ListQuery, MutationOptions, WatchQuery } from '#apiserver/request/api-request.ts'
import { isTrue } from '#apiserver/request/request-info.ts'
import type { RowObject } from '#apiserver/front/resources/table.ts'

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
}

/** Parses the options of a get. */
export function getQuery(query: URLSearchParams): GetQuery {
  return { resourceVersion: query.get('resourceVersion') ?? '' }
}

/** Parses the options of a list. @throws StatusError 400, 422 */
export function plainListQuery(query: URLSearchParams, name: string): ListQuery {
  if (!query.has('sendInitialEvents')) return listQuery(query, name)
  const message = 'Forbidden: sendInitialEvents is forbidden for list'
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [{ reason: 'FieldValueForbidden', field: 'sendInitialEvents', message }])
}

/** Parses selectors, paging and version of a list. @throws StatusError 400 */
export function listQuery(query: URLSearchParams, name: string): ListQuery {
  const limit = integer(query, 'limit') ?? 0
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: namedSelector(query.get('fieldSelector') ?? '', name),
    limit: Math.max(0, limit),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  }
}

/** A watch of one object by its path is a watch of the collection with a selector on the name. */
function namedSelector(selector: string, name: string): string {
  if (name === '') return selector
  const wanted = `metadata.name=${name}`
  if (selector === '') return wanted
  const other = /(?:^|,)metadata\.name==?([^,]*)/.exec(selector)?.[1]
  if (other !== undefined && other !== name) throw badRequest(`field selector names "${other}", but the path names "${name}"`)
  return `${wanted},${selector}`
}

/** Parses the options of a watch. @throws StatusError 400 */
export function watchQuery(query: URLSearchParams, name: string): WatchQuery & { readonly timeoutSeconds: number | undefined } {
  const initial = query.get('sendInitialEvents')
  return {
    ...listQuery(query, name),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    timeoutSeconds: integer(query, 'timeoutSeconds'),
  }
}

function isDryRun(values: readonly string[], kind: string): boolean {
  const wrong = values.find((value) => value !== 'All')
  if (wrong === undefined) return values.length > 0
  throw invalid({ group: 'meta.k8s.io', kind }, '', [
    { reason: 'FieldValueNotSupported', field: 'dryRun', message: `Unsupported value: "${wrong}": supported values: "All"` },
  ])
}

const plainMutation: MutationOptions = { dryRun: false, fieldValidation: 'Warn' }

/** Parses the options of create, update and patch. @throws StatusError 422 */
export function mutationOptions(query: URLSearchParams, kind: WriteOptionsKind): MutationOptions {
  if (query.size === 0) return plainMutation
  checkFieldManager(query, kind)
  const validation = query.get('fieldValidation') ?? ''
  if (validation !== '' && validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore') {
    const message = `Unsupported value: "${validation}": supported values: "Ignore", "Strict", "Warn"`
    throw invalid({ group: 'meta.k8s.io', kind }, '', [{ reason: 'FieldValueNotSupported', field: 'fieldValidation', message }])
  }
  return { dryRun: isDryRun(query.getAll('dryRun'), kind), fieldValidation: validation === '' ? 'Warn' : validation }
}

const managerLimit = 128
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u

/** Returns the field manager: the parameter, or the User-Agent up to the first slash. */
export function fieldManagerOf(query: URLSearchParams, userAgent: string | undefined): string {
  const named = query.get('fieldManager') ?? ''
  return named === '' ? (userAgent ?? 'unknown').split('/', 1)[0]?.slice(0, managerLimit) || 'unknown' : named
}

/** Kind named in errors about the options. */
type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

/** @throws StatusError 422 for an invalid fieldManager */
function checkFieldManager(query: URLSearchParams, kind: WriteOptionsKind): void {
  const named = query.get('fieldManager') ?? ''
  if (Buffer.byteLength(named) > managerLimit) {
    const message = `Too long: may not be more than ${managerLimit} bytes`
    throw invalid({ group: 'meta.k8s.io', kind }, '', [{ reason: 'FieldValueTooLong', field: 'fieldManager', message }])
  }
  const wrong = unprintable.exec(named)
  if (wrong === null) return
  const code = (wrong[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const position = Buffer.byteLength(named.slice(0, wrong.index))
  const message = `Invalid value: ${JSON.stringify(named)}: invalid character U+${code} (at position ${position})`
  throw invalid({ group: 'meta.k8s.io', kind }, '', [{ reason: 'FieldValueInvalid', field: 'fieldManager', message }])
}

/** `DeleteOptions` in a body. */
interface DeleteOptionsBody extends KubeObject {
  readonly gracePeriodSeconds?: number | null
  readonly propagationPolicy?: string | null
  readonly orphanDependents?: boolean | null
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | null
  readonly dryRun?: readonly string[] | null
}

function propagationPolicy(policy: string | null | undefined, orphan: boolean | null | undefined): DeleteQuery['propagationPolicy'] {
  const refuse = (message: string): never => {
    throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
      { reason: 'FieldValueInvalid', field: 'propagationPolicy', message },
    ])
  }
  if (policy !== null && policy !== undefined && policy !== '') {
    if (orphan !== null && orphan !== undefined) refuse('Invalid value: "": orphanDependents and deletionPropagation cannot be both set')
    if (policy === 'Orphan' || policy === 'Background' || policy === 'Foreground') return policy
    refuse(`Invalid value: ${JSON.stringify(policy)}: must be one of Foreground, Background, Orphan or empty`)
  }
  return orphan === true ? 'Orphan' : orphan === false ? 'Background' : undefined
}

/**
 * Parses the options of a delete from the body, else from the query. @throws StatusError 400, 422
 */
export function deleteQuery(query: URLSearchParams, body: KubeObject | undefined): DeleteQuery {
  const options: DeleteOptionsBody = body ?? {
    ...(query.has('gracePeriodSeconds') ? { gracePeriodSeconds: integer(query, 'gracePeriodSeconds') ?? 0 } : {}),
    propagationPolicy: query.get('propagationPolicy'),
    orphanDependents: query.has('orphanDependents') ? isTrue(query.get('orphanDependents')) : null,
    dryRun: query.getAll('dryRun'),
  }
  const grace = options.gracePeriodSeconds
  const policy = propagationPolicy(options.propagationPolicy, options.orphanDependents)
  const preconditions = options.preconditions
  return {
    dryRun: isDryRun([...(options.dryRun ?? []), ...(body === undefined ? [] : query.getAll('dryRun'))], 'DeleteOptions'),
    ...(grace === null || grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === undefined ? {} : { propagationPolicy: policy }),
    ...(preconditions === null || preconditions === undefined ? {} : { preconditions }),
  }
}

/** Parses `includeObject` of a table. @throws StatusError 400 */
export function includeObjectOf(query: URLSearchParams): RowObject {
  const value = query.get('includeObject') ?? ''
  if (value === '') return 'Metadata'
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value
  throw badRequest(`invalid includeObject value: "${value}"`)
}
