import { createHash } from 'node:crypto'
import { pathNotFound } from '#apimachinery/errors.ts'
import { parseAccept } from '#apiserver/request/content-negotiation.ts'
import type { VersionInfo } from '#apiserver/discovery/version.ts'
import { headerOf } from '#apiserver/http/exchange.ts'
import type { PublishedSchema } from './meta-schemas.ts'
import { noAcceptableAnswer } from '#apiserver/front/reply.ts'
import type { Route, RouteCall } from '#apiserver/front/routes.ts'
import type { ResourceDefinition, ResourceRegistry } from '#apiserver/registry/resource-definition.ts'

/** Cached documents of extension API servers. */
export interface RemoteOpenApi {
  /** Path of each v3 document with its hash, by `apis/<group>/<version>`. */
  paths(): ReadonlyMap<string, string>
  /** Schemas for v2; the same object until they change. */
  definitions(): Readonly<Record<string, PublishedSchema>>
}

const noDefinitions = {}
const nothingRemote: RemoteOpenApi = { paths: () => new Map(), definitions: () => noDefinitions }

interface Document {
  readonly bytes: Buffer
  readonly hash: string
}

/**
 * Media type of the protobuf form. Clients ask for `v2@v1.0`, but Go's parser refuses an `@` in
 * answers.
 */
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

function documentOf(bytes: Buffer): Document {
  return { bytes, hash: createHash('sha512').update(bytes).digest('hex').toUpperCase() }
}

function groupVersionPath({ group, version }: ResourceDefinition): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

/** Returns the form for `/openapi/v2`; undefined: 406. */
export function swaggerForm(accept: string | undefined): 'json' | 'protobuf' | undefined {
  if (accept === undefined || accept === '') return 'json'
  for (const { type } of parseAccept(accept)) {
    if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json'
    if (type.startsWith('application/com.github.proto-openapi.spec.v2')) return 'protobuf'
  }
  return undefined
}

/**
 * Serves `/openapi/v2` and `/openapi/v3`, including `remote` documents. Built on first use after a
 * change. The entry point of this package.
 */
export function createOpenApiRoute(registry: ResourceRegistry, version: VersionInfo, remote: RemoteOpenApi = nothingRemote): Route {
  const documents = new Map<string, { readonly of: readonly object[]; readonly document: Promise<Document> }>()
  let grouped: { readonly generation: number; readonly paths: ReadonlyMap<string, readonly ResourceDefinition[]> } | undefined

  /**
   * Rebuilds a document when its definitions have changed; a new CustomResourceDefinition leaves
   * other groups alone.
   */
  const remember = (key: string, of: readonly object[], make: () => Promise<Buffer>): Promise<Document> => {
    const known = documents.get(key)
    if (known !== undefined && known.of.length === of.length && known.of.every((definition, index) => definition === of[index])) {
      return known.document
    }
    const document = make().then(documentOf)
    documents.set(key, { of, document })
    return document
  }

  const groupVersions = (): ReadonlyMap<string, readonly ResourceDefinition[]> => {
    const { generation } = registry
    if (grouped?.generation === generation) return grouped.paths
    const paths = Map.groupBy(registry.all(), groupVersionPath)
    grouped = { generation, paths }
    // Drops documents of removed group versions.
    for (const key of documents.keys()) if (key.startsWith('v3/') && !paths.has(key.slice('v3/'.length))) documents.delete(key)
    return paths
  }
  const v3 = (path: string, definitions: readonly ResourceDefinition[]): Promise<Document> =>
    remember(`v3/${path}`, definitions, async () => {
      const { openApiV3Document } = await import('./v3-document.ts')
      return Buffer.from(JSON.stringify(openApiV3Document(definitions, version.gitVersion)))
    })
  const v2 = (form: 'json' | 'protobuf'): Promise<Document> =>
    remember(`v2/${form}`, [...registry.all(), remote.definitions()], async () => {
      const { swaggerDocument } = await import('./v2-document.ts')
      const document = swaggerDocument(registry.all(), version.gitVersion, remote.definitions())
      if (form === 'json') return Buffer.from(JSON.stringify(document))
      const { encodeGnostic } = await import('./gnostic.ts')
      return Buffer.from(encodeGnostic(document))
    })

  const send = async (
    { exchange, reply }: RouteCall,
    contentType: string,
    { bytes, hash }: Document,
    headers: Record<string, string> = {},
  ): Promise<void> => {
    const etag = `"${hash}"`
    const all = { etag, vary: 'Accept', ...headers }
    if (headerOf(exchange.headers, 'if-none-match') === etag) return reply.send(304, contentType, Buffer.alloc(0), all)
    return reply.sendCompressed(200, contentType, bytes, all)
  }

  const sendIndex = async (call: RouteCall): Promise<void> => {
    const paths: Record<string, object> = {}
    for (const [path, definitions] of groupVersions()) {
      const { hash } = await v3(path, definitions)
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }
    }
    for (const [path, serverRelativeURL] of remote.paths()) paths[path] = { serverRelativeURL }
    return call.reply.sendJson(200, [Buffer.from(JSON.stringify({ paths }))])
  }

  const sendGroupVersion = async (call: RouteCall, path: string): Promise<void> => {
    const definitions = groupVersions().get(path)
    if (definitions === undefined) throw pathNotFound()
    const document = await v3(path, definitions)
    const wanted = call.query.get('hash')
    if (wanted === null || wanted === '') return send(call, 'application/json', document)
    if (wanted !== document.hash) {
      return call.reply.send(301, 'text/plain', Buffer.alloc(0), { location: `/openapi/v3/${path}?hash=${document.hash}` })
    }
    return send(call, 'application/json', document, { 'cache-control': 'public, immutable', expires: 'Thu, 31 Dec 2099 23:59:59 GMT' })
  }

  return async (call) => {
    const [, kind, ...rest] = call.path.split('/').filter((segment) => segment !== '')
    if (kind === 'v3') return rest.length === 0 ? sendIndex(call) : sendGroupVersion(call, rest.join('/'))
    if (kind !== 'v2' || rest.length > 0) throw pathNotFound()
    const form = swaggerForm(headerOf(call.exchange.headers, 'accept'))
    if (form === undefined) throw noAcceptableAnswer()
    return send(call, form === 'json' ? 'application/json' : protobufType, await v2(form))
  }
}
