import { badRequest, methodNotAllowed, notAcceptable } from '#apimachinery/errors.ts'
import { headerOf, type Exchange } from '#apiserver/http/exchange.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { Target, UserInfo, Verbs } from '#apiserver/request/api-request.ts'
import { bodyTypes, type Negotiated, negotiate } from '#apiserver/request/content-negotiation.ts'
import { isTrue, type ResourceRequest } from '#apiserver/request/request-info.ts'
import { noAcceptableAnswer, type Reply } from '../reply.ts'
import { readObject, readPatch } from './body.ts'
import { HttpContext } from './http-context.ts'
import { deleteQuery, getQuery, includeObjectOf, listQuery, mutationOptions, plainListQuery } from './query-options.ts'
import { resolveTarget } from './resolve-target.ts'
import { sendDeleted, sendEntry, sendList } from './send-result.ts'
import type { WatchHandler } from './watch-handler.ts'

/** An authorized request for a resource. */
export interface ResourceCall {
  readonly exchange: Exchange
  readonly reply: Reply
  readonly info: ResourceRequest
  readonly query: URLSearchParams
  readonly user: UserInfo
}

/** Answers a request for a resource. */
export type ResourceHandler = (call: ResourceCall) => Promise<void>

/** Options of {@link createResourceHandler}. */
export interface ResourceHandlerOptions {
  readonly registry: ResourceRegistry
  readonly verbs: Verbs
  readonly watch: WatchHandler
  readonly now: () => number
}

type VerbCall = ResourceCall & { readonly target: Target; readonly negotiated: Negotiated; readonly context: HttpContext }

type VerbHandler = (call: VerbCall, options: ResourceHandlerOptions) => Promise<void>

const get: VerbHandler = async (call, { verbs, now }) =>
  sendEntry(call, 200, await verbs.get(call.target, call.context, getQuery(call.query)), now)

const list: VerbHandler = async (call, { verbs, now }) => {
  const query = plainListQuery(call.query, call.info.name)
  return sendList(call, await verbs.list(call.target, query, call.context), now)
}

const watch: VerbHandler = (call, options) =>
  options.watch({ call, target: { ...call.target, name: '' }, negotiated: call.negotiated, context: call.context })

const create: VerbHandler = async ({ target, context, ...call }, { verbs, now }) => {
  const mutation = mutationOptions(call.query, 'CreateOptions')
  const body = await readObject(call.exchange, target.definition)
  if (body === undefined) throw badRequest('the body is empty: it must be the object to create')
  return sendEntry({ ...call, target }, 201, await verbs.create(target, body, mutation, context), now)
}

const update: VerbHandler = async ({ target, context, ...call }, { verbs, now }) => {
  const mutation = mutationOptions(call.query, 'UpdateOptions')
  const body = await readObject(call.exchange, target.definition)
  if (body === undefined) throw badRequest('the body is empty: it must be the new object')
  return sendEntry({ ...call, target }, 200, await verbs.update(target, body, mutation, context), now)
}

const patch: VerbHandler = async ({ target, context, ...call }, { verbs, now }) => {
  const { query } = call
  const mutation = mutationOptions(query, 'PatchOptions')
  const body = await readPatch(call.exchange, target.definition, {
    fieldManager: query.get('fieldManager') ?? '',
    force: query.has('force') ? isTrue(query.get('force')) : undefined,
    fieldValidation: mutation.fieldValidation,
    warn: (text) => context.warn(text),
  })
  const { entry, created } = await verbs.patch(target, body, mutation, context)
  return sendEntry({ ...call, target }, created ? 201 : 200, entry, now)
}

const deleteObject: VerbHandler = async ({ target, context, ...call }, { verbs, now }) => {
  const body = await readObject(call.exchange, target.definition)
  const result = await verbs.delete(target, deleteQuery(call.query, body?.object), context)
  return sendDeleted({ ...call, target }, result, now)
}

const deleteCollection: VerbHandler = async ({ target, context, ...call }, { verbs, now }) => {
  const body = await readObject(call.exchange, target.definition)
  const result = await verbs.deleteCollection(target, listQuery(call.query, ''), deleteQuery(call.query, body?.object), context)
  return sendList({ ...call, target }, result, now)
}

const handlers = new Map<string, VerbHandler>([
  ['get', get],
  ['list', list],
  ['watch', watch],
  ['create', create],
  ['update', update],
  ['patch', patch],
  ['delete', deleteObject],
  ['deletecollection', deleteCollection],
])

/**
 * Maps requests to verbs, and the results of the verbs to the representation that the client
 * accepts.
 */
export function createResourceHandler(options: ResourceHandlerOptions): ResourceHandler {
  return async (call) => {
    const { exchange, reply, info, query } = call
    const target = resolveTarget(options.registry, info)
    const isList = info.verb === 'list' || info.verb === 'deletecollection'
    const accept = headerOf(exchange.headers, 'accept')
    const negotiated = negotiate(accept, { list: isList, watch: info.verb === 'watch' })
    // kube-apiserver names protobuf too, though it has no such form of custom objects.
    if (negotiated === undefined) throw target.definition.custom ? notAcceptable(bodyTypes) : noAcceptableAnswer()
    // Checked before the verb runs: a request whose answer cannot be rendered must have no effect.
    if (negotiated.view === 'table') includeObjectOf(query)
    const handle = handlers.get(info.verb)
    if (handle === undefined) throw methodNotAllowed(target.definition, info.verb)
    return handle({ ...call, target, negotiated, context: new HttpContext(call.user, exchange, reply, query) }, options)
  }
}
