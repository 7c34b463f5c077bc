import type { Status } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { DeleteResult, ListResult, Target } from '#apiserver/request/api-request.ts'
import type { Negotiated } from '#apiserver/request/content-negotiation.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { Reply } from '../reply.ts'
import { includeObjectOf } from './query-options.ts'
import { partialMetadata, renderTable } from './table.ts'

/** Reply of a request, with the representation that was negotiated for it. */
export interface ResultCall {
  readonly reply: Reply
  readonly query: URLSearchParams
  readonly target: Target
  readonly negotiated: Negotiated
}

const comma = Buffer.from(',')
const listTail = Buffer.from(']}')

/** Answers with one object. */
export function sendEntry({ reply, query, target, negotiated }: ResultCall, code: number, entry: Entry, now: () => number): Promise<void> {
  const { view, format, metaVersion } = negotiated
  switch (view) {
    case 'object':
      return format === 'json' ? reply.sendJson(code, [entry.json]) : reply.sendValue(code, format, entry.object)
    case 'metadata':
      return reply.sendValue(code, format, partialMetadata(entry.object, metaVersion))
    case 'table': {
      const metadata = { resourceVersion: String(entry.revision) }
      const include = includeObjectOf(query)
      const table = renderTable(target.definition.columns, [entry.object], { metadata, include, metaVersion, nowMs: now(), headings: true })
      return reply.sendValue(code, format, table)
    }
  }
}

/** Answers with a list. */
export function sendList({ reply, query, target, negotiated }: ResultCall, result: ListResult, now: () => number): Promise<void> {
  const { definition } = target
  const { view, format, metaVersion } = negotiated
  const metadata = listMetadata(result)
  const objects = (): KubeObject[] => result.entries.map((entry) => entry.object)
  switch (view) {
    case 'table': {
      const include = includeObjectOf(query)
      const table = renderTable(definition.columns, objects(), { metadata, include, metaVersion, nowMs: now(), headings: true })
      return reply.sendValue(200, format, table)
    }
    case 'metadata': {
      const items = objects().map((object) => partialMetadata(object, metaVersion))
      return reply.sendValue(200, format, { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${metaVersion}`, metadata, items })
    }
    case 'object': {
      const head = { kind: definition.listKind, apiVersion: apiVersionOf(definition), metadata }
      if (format !== 'json') return reply.sendValue(200, format, { ...head, items: objects() })
      return reply.sendJson(200, listJson(head, result.entries))
    }
  }
}

/**
 * Answers a delete: with the object while it still exists, otherwise with a Status as Kubernetes
 * does.
 */
export function sendDeleted(call: ResultCall, result: DeleteResult, now: () => number): Promise<void> {
  const { definition } = call.target
  if (result.kind === 'pending' || definition.deleteReturnsObject) return sendEntry(call, 200, result.entry, now)
  const { name = '', uid = '' } = result.entry.object.metadata ?? {}
  const group = definition.group === '' ? {} : { group: definition.group }
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...group, kind: definition.plural, uid },
  }
  return call.reply.sendValue(200, call.negotiated.format, status)
}

function listMetadata(result: ListResult): object {
  return {
    resourceVersion: String(result.revision),
    ...(result.continue === undefined ? {} : { continue: result.continue }),
    ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
  }
}

/** JSON of a list, concatenated from the stored JSON of its entries. */
function listJson(head: object, entries: readonly Entry[]): Buffer[] {
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`)]
  entries.forEach((entry, index) => {
    if (index > 0) parts.push(comma)
    parts.push(entry.json)
  })
  parts.push(listTail)
  return parts
}
