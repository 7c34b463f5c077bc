import { badRequest, expired, type FieldError, invalid, StatusError, tooLargeResourceVersion } from '#apimachinery/errors.ts'
import { type Entry, RevisionCompacted } from '#apiserver/storage/object-store.ts'
import type { ListQuery, ListResult, RequestContext, Target } from '#apiserver/request/api-request.ts'
import { type ContinueToken, decodeContinue, encodeContinue } from '../read/continue-token.ts'
import type { Environment } from '../environment.ts'
import { parseResourceVersion } from '../read/resource-version.ts'
import { parseSelection, type Selection } from '../read/selection.ts'
import { waitForRevision } from '../read/wait-for-revision.ts'

const pageExpired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, ' +
  'or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an ' +
  'inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

/**
 * Lifetime of a continue token: kube-apiserver compacts after five minutes, and clients expect
 * tokens to expire.
 */
const pageLifeMs = 5 * 60_000

/** Lists a collection at one revision, in pages when the client sets a limit. */
export async function list(environment: Environment, target: Target, query: ListQuery, context: RequestContext): Promise<ListResult> {
  const selection = parseSelection(target, query)
  checkListQuery(query)
  if (query.continue !== '') return nextPage(environment, target, selection, query)
  const wanted = parseResourceVersion(query.resourceVersion)
  if (isExact(query, wanted)) {
    if (wanted > environment.store.revision) throw tooLargeResourceVersion(wanted, environment.store.revision)
    return page(environment, target, selection, query, wanted, snapshot(environment, target, selection, wanted))
  }
  if (wanted > environment.store.revision) await waitForRevision(environment, wanted, context)
  const current = environment.store.revision
  // Any state is acceptable, so there is no reason for pages; kube-apiserver's cache does the same.
  const unlimited = query.resourceVersion === '0' && query.resourceVersionMatch !== 'Exact' ? { ...query, limit: 0 } : query
  return page(environment, target, selection, unlimited, current, newest(environment, target, selection))
}

/**
 * Reports whether the list must show exactly this revision: resourceVersion with a limit, unless
 * resourceVersionMatch says otherwise (apiserver.md §1.8).
 */
function isExact(query: ListQuery, wanted: number): boolean {
  if (wanted === 0) return false
  return query.resourceVersionMatch === 'Exact' || (query.resourceVersionMatch === '' && query.limit > 0)
}

function newest({ store }: Environment, { definition, namespace }: Target, selection: Selection): readonly Entry[] {
  if (selection.name !== undefined && namespace !== undefined) {
    const entry = store.get(definition.storageKey, namespace, selection.name)
    return entry === undefined ? [] : [entry]
  }
  return store.list(definition.storageKey, namespace)
}

function snapshot(environment: Environment, target: Target, selection: Selection, revision: number): readonly Entry[] {
  const { store } = environment
  if (revision === store.revision) return newest(environment, target, selection)
  try {
    return store.listAt(target.definition.storageKey, target.namespace, revision)
  } catch (error) {
    throw error instanceof RevisionCompacted ? expired(`too old resource version: ${revision} (${error.oldest})`) : error
  }
}

function nextPage(environment: Environment, target: Target, selection: Selection, query: ListQuery): ListResult | Promise<ListResult> {
  if (query.resourceVersion !== '' && query.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  const token = decodeContinue(query.continue)
  const revision = token.revision < 0 ? environment.store.revision : token.revision
  if (revision > environment.store.revision) throw badRequest('continue key is not valid')
  const { at = environment.now() } = token
  if (token.revision > 0 && environment.now() - at > pageLifeMs) throw expiredPage(token)
  const entries = pageEntries(environment, target, selection, token, revision)
  return page(environment, target, selection, query, revision, entries.slice(firstAfter(entries, token)), at)
}

function pageEntries(
  environment: Environment,
  target: Target,
  selection: Selection,
  token: ContinueToken,
  revision: number,
): readonly Entry[] {
  try {
    return snapshot(environment, target, selection, revision)
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'Expired') throw error
    throw expiredPage(token, error)
  }
}

/** 410 with a token that continues at the newest revision, without consistency. */
function expiredPage({ namespace, name }: ContinueToken, cause?: unknown): StatusError {
  const { status } = expired(pageExpired)
  return new StatusError({ ...status, metadata: { continue: encodeContinue({ namespace, name, revision: -1 }) } }, { cause })
}

/** Index of the first entry after the token's key. Entries are sorted by namespace and name. */
function firstAfter(entries: readonly Entry[], token: ContinueToken): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const { namespace = '', name = '' } = entries[middle]?.object.metadata ?? {}
    const after = namespace === token.namespace ? name > token.name : namespace > token.namespace
    if (after) high = middle
    else low = middle + 1
  }
  return low
}

function page(
  environment: Environment,
  target: Target,
  selection: Selection,
  query: ListQuery,
  revision: number,
  candidates: readonly Entry[],
  at: number = environment.now(),
): ListResult | Promise<ListResult> {
  const chosen: Chosen = { entries: [], examined: 0, limit: query.limit > 0 ? query.limit : Infinity }
  const finish = (): ListResult => resultOf(selection, revision, chosen, candidates.length, at)
  if (target.definition.family?.convert !== undefined)
    return chooseConverted(environment, target, selection, chosen, candidates).then(finish)
  choose(environment, target, selection, chosen, candidates)
  return finish()
}

/** Entries of one page so far. */
interface Chosen {
  readonly entries: Entry[]
  /** Number of candidates examined. */
  examined: number
  readonly limit: number
}

function choose({ views }: Environment, { definition }: Target, selection: Selection, chosen: Chosen, candidates: readonly Entry[]): void {
  for (const candidate of candidates) {
    if (chosen.entries.length >= chosen.limit) return
    chosen.examined += 1
    const entry = views.of(definition, candidate)
    if (selection.everything || selection.matches(entry.object)) chosen.entries.push(entry)
  }
}

/** Number of objects converted at a time, before checking whether the page is full. */
const conversionStep = 500

/**
 * Applies selectors after conversion, as they refer to the version that the client asked for.
 * Converts the collection in steps.
 */
async function chooseConverted(
  environment: Environment,
  target: Target,
  selection: Selection,
  chosen: Chosen,
  candidates: readonly Entry[],
): Promise<void> {
  const { limit, entries } = chosen
  for (let start = 0; start < candidates.length && entries.length < limit;) {
    const step = selection.everything ? Math.min(limit - entries.length, candidates.length) : conversionStep
    const part = candidates.slice(start, start + step)
    await environment.views.prepare(target.definition, part)
    choose(environment, target, selection, chosen, part)
    start += step
  }
}

function resultOf(selection: Selection, revision: number, { entries, examined }: Chosen, candidates: number, at: number): ListResult {
  const remaining = candidates - examined
  const last = entries.at(-1)?.object.metadata
  if (remaining === 0 || last === undefined) return { entries, revision }
  const token = encodeContinue({ revision, namespace: last.namespace ?? '', name: last.name ?? '', at })
  return { entries, revision, continue: token, ...(selection.everything ? { remainingItemCount: remaining } : {}) }
}

function checkListQuery(query: ListQuery): void {
  const { resourceVersionMatch: match, resourceVersion } = query
  if (match === '') return
  if (query.continue !== '')
    refuseMatch({ reason: 'FieldValueForbidden', message: 'Forbidden: resourceVersionMatch is forbidden when continue is provided' })
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    refuseMatch({ reason: 'FieldValueNotSupported', message: `Unsupported value: "${match}": supported values: "Exact", "NotOlderThan"` })
  }
  if (resourceVersion === '') {
    refuseMatch({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    })
  }
  if (match === 'Exact' && resourceVersion === '0') {
    refuseMatch({ reason: 'FieldValueForbidden', message: 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"' })
  }
}

function refuseMatch(error: Omit<FieldError, 'field'>): never {
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', [{ ...error, field: 'resourceVersionMatch' }])
}
