import { badRequest, methodNotAllowed, pathNotFound, type Status } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { type Negotiated, negotiate } from '#apiserver/content-negotiation.ts'
import type { DeleteResult, ListResult, Target, UserInfo, Verbs } from '#apiserver/endpoints/api-request.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import { isTrue, type ResourceRequest } from '#apiserver/request-info.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import { partialMetadata, renderTable } from '#apiserver/table/table.ts'
import { readObject, readPatch } from './body.ts'
import { type Exchange, headerOf } from './exchange.ts'
import { HttpContext } from './http-context.ts'
import { deleteQuery, getQuery, includeObjectOf, listQuery, mutationOptions, plainListQuery } from './query-options.ts'
import { noAcceptableAnswer, type Reply } from './reply.ts'
import type { WatchHandler } from './watch-handler.ts'

/** One authorized request for a resource. */
export interface ResourceCall {
  readonly exchange: Exchange
  readonly reply: Reply
  readonly info: ResourceRequest
  readonly query: URLSearchParams
  readonly user: UserInfo
}

/** Answers a request for a resource. */
export type ResourceHandler = (call: ResourceCall) => Promise<void>

/** What {@link createResourceHandler} needs. */
export interface ResourceHandlerOptions {
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  readonly watch: WatchHandler
  readonly now: () => number
}

const comma = Buffer.from(',')
const listTail = Buffer.from(']}')

function isKnownSubresource(definition: ResourceDefinition, subresource: string): boolean {
  if (subresource === '') return true
  if (subresource === 'status') return definition.hasStatus
  if (subresource === 'scale') return definition.scale !== undefined
  return definition.extraSubresources?.some((extra) => extra.name === subresource) ?? false
}

function allowsVerb(definition: ResourceDefinition, info: ResourceRequest): boolean {
  if (info.subresource === '') return (definition.verbs as readonly string[]).includes(info.verb)
  const extra = definition.extraSubresources?.find((subresource) => subresource.name === info.subresource)
  return (extra?.verbs ?? ['get', 'patch', 'update']).includes(info.verb)
}

/** What the path addresses. @throws StatusError 404, 405 */
function resolveTarget(registry: ResourceRegistry, info: ResourceRequest): Target {
  const definition = registry.find(info.group, info.version, info.resource)
  if (definition === undefined || info.rest.length > 0 || !isKnownSubresource(definition, info.subresource)) throw pathNotFound()
  if (!definition.namespaced && info.namespace !== undefined) throw pathNotFound()
  if (!allowsVerb(definition, info)) throw methodNotAllowed(definition, info.verb)
  const acrossNamespaces = definition.namespaced && info.namespace === undefined
  if (acrossNamespaces && info.name !== '' && info.verb !== 'watch') throw pathNotFound()
  if (acrossNamespaces && info.verb !== 'list' && info.verb !== 'watch') throw methodNotAllowed(definition, info.verb)
  if (info.name !== '' && info.verb === 'create' && info.subresource === '') throw methodNotAllowed(definition, 'create')
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch')) throw methodNotAllowed(definition, info.verb)
  return { definition, namespace: definition.namespaced ? info.namespace : '', name: info.name, subresource: info.subresource }
}

/** Maps requests to verbs, and what the verbs give to what the client can read. */
export function createResourceHandler(options: ResourceHandlerOptions): ResourceHandler {
  const { registry, verbs } = options

  const sendEntry = (
    call: ResourceCall,
    definition: ResourceDefinition,
    code: number,
    entry: Entry,
    negotiated: Negotiated,
  ): Promise<void> => {
    switch (negotiated.view) {
      case 'object':
        if (negotiated.format === 'json') return call.reply.sendJson(code, [entry.json])
        return call.reply.sendValue(code, negotiated.format, entry.object)
      case 'metadata':
        return call.reply.sendValue(code, negotiated.format, partialMetadata(entry.object, negotiated.metaVersion))
      case 'table':
        return call.reply.sendValue(
          code,
          negotiated.format,
          renderTable(definition.columns, [entry.object], {
            metadata: { resourceVersion: String(entry.revision) },
            include: includeObjectOf(call.query),
            metaVersion: negotiated.metaVersion,
            nowMs: options.now(),
            headings: true,
          }),
        )
    }
  }

  const sendList = (call: ResourceCall, definition: ResourceDefinition, result: ListResult, negotiated: Negotiated): Promise<void> => {
    const metadata = {
      resourceVersion: String(result.revision),
      ...(result.continue === undefined ? {} : { continue: result.continue }),
      ...(result.remainingItemCount === undefined ? {} : { remainingItemCount: result.remainingItemCount }),
    }
    const objects = (): KubeObject[] => result.entries.map((entry) => entry.object)
    const { format, metaVersion } = negotiated
    switch (negotiated.view) {
      case 'table': {
        const include = includeObjectOf(call.query)
        return call.reply.sendValue(
          200,
          format,
          renderTable(definition.columns, objects(), { metadata, include, metaVersion, nowMs: options.now(), headings: true }),
        )
      }
      case 'metadata': {
        const items = objects().map((object) => partialMetadata(object, metaVersion))
        return call.reply.sendValue(200, format, {
          kind: 'PartialObjectMetadataList',
          apiVersion: `meta.k8s.io/${metaVersion}`,
          metadata,
          items,
        })
      }
      case 'object': {
        const head = { kind: definition.listKind, apiVersion: apiVersionOf(definition), metadata }
        if (format !== 'json') return call.reply.sendValue(200, format, { ...head, items: objects() })
        // Entries keep their JSON: a list is put together from it without writing any object again.
        const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`)]
        result.entries.forEach((entry, index) => {
          if (index > 0) parts.push(comma)
          parts.push(entry.json)
        })
        parts.push(listTail)
        return call.reply.sendJson(200, parts)
      }
    }
  }

  const sendDeleted = (call: ResourceCall, definition: ResourceDefinition, result: DeleteResult, negotiated: Negotiated): Promise<void> => {
    if (result.kind === 'pending' || definition.deleteReturnsObject) return sendEntry(call, definition, 200, result.entry, negotiated)
    const { name = '', uid = '' } = result.entry.object.metadata ?? {}
    const group = definition.group === '' ? {} : { group: definition.group }
    const status: Status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name, ...group, kind: definition.plural, uid },
    }
    return call.reply.sendValue(200, negotiated.format, status)
  }

  return async (call) => {
    const { exchange, reply, info, query } = call
    const target = resolveTarget(registry, info)
    const { definition } = target
    const isList = info.verb === 'list' || info.verb === 'deletecollection'
    const negotiated = negotiate(headerOf(exchange.headers, 'accept'), { list: isList, watch: info.verb === 'watch' })
    if (negotiated === undefined) throw noAcceptableAnswer()
    // Now, because what cannot be answered must not be done.
    if (negotiated.view === 'table') includeObjectOf(query)
    const context = new HttpContext(call.user, exchange, reply, query)

    switch (info.verb) {
      case 'get':
        return sendEntry(call, definition, 200, await verbs.get(target, context, getQuery(query)), negotiated)
      case 'list':
        return sendList(call, definition, await verbs.list(target, plainListQuery(query, info.name), context), negotiated)
      case 'watch':
        return options.watch({ call, target: { ...target, name: '' }, negotiated, context })
      case 'create': {
        const mutation = mutationOptions(query, 'CreateOptions')
        const body = await readObject(exchange, definition)
        if (body === undefined) throw badRequest('the body is empty: it must be the object to create')
        return sendEntry(call, definition, 201, await verbs.create(target, body, mutation, context), negotiated)
      }
      case 'update': {
        const mutation = mutationOptions(query, 'UpdateOptions')
        const body = await readObject(exchange, definition)
        if (body === undefined) throw badRequest('the body is empty: it must be the new object')
        return sendEntry(call, definition, 200, await verbs.update(target, body, mutation, context), negotiated)
      }
      case 'patch': {
        const mutation = mutationOptions(query, 'PatchOptions')
        const patch = await readPatch(exchange, definition, {
          fieldManager: query.get('fieldManager') ?? '',
          force: query.has('force') ? isTrue(query.get('force')) : undefined,
          fieldValidation: mutation.fieldValidation,
          warn: (text) => context.warn(text),
        })
        const { entry, created } = await verbs.patch(target, patch, mutation, context)
        return sendEntry(call, definition, created ? 201 : 200, entry, negotiated)
      }
      case 'delete': {
        const body = await readObject(exchange, definition)
        const result = await verbs.delete(target, deleteQuery(query, body?.object), context)
        return sendDeleted(call, definition, result, negotiated)
      }
      case 'deletecollection': {
        const body = await readObject(exchange, definition)
        const result = await verbs.deleteCollection(target, listQuery(query, ''), deleteQuery(query, body?.object), context)
        return sendList(call, definition, result, negotiated)
      }
      default:
        throw methodNotAllowed(definition, info.verb)
    }
  }
}
