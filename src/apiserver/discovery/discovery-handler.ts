import { createHash } from 'node:crypto'
import { pathNotFound } from '#apimachinery/errors.ts'
import { type AcceptClause, parseAccept } from '#apiserver/request/content-negotiation.ts'
import { headerOf } from '#apiserver/http/exchange.ts'
import { noAcceptableAnswer } from '#apiserver/front/reply.ts'
import type { Route } from '#apiserver/front/routes.ts'
import type { DiscoveredGroup } from './api-groups.ts'
import type { DiscoveryCatalog } from './discovery-catalog.ts'
import { aggregatedDiscovery, apiGroupList, apiResourceList, apiVersions, singleApiGroup } from './documents.ts'

interface Document {
  readonly bytes: Buffer
  readonly etag: string
}

/** Returns the document that an Accept clause asks for. */
function formOf(clause: AcceptClause): 'legacy' | 'v2' | 'v2beta1' | undefined {
  if (clause.type !== 'application/json' && clause.type !== '*/*' && clause.type !== 'application/*') return undefined
  const as = clause.parameters.get('as')
  if (as === undefined) return 'legacy'
  const version = clause.parameters.get('v')
  const known = as === 'APIGroupDiscoveryList' && clause.parameters.get('g') === 'apidiscovery.k8s.io'
  return known && (version === 'v2' || version === 'v2beta1') ? version : undefined
}

/** Returns the preferred supported form; undefined: 406. */
export function discoveryForm(accept: string | undefined): 'legacy' | 'v2' | 'v2beta1' | undefined {
  if (accept === undefined || accept === '') return 'legacy'
  for (const clause of parseAccept(accept)) {
    const form = formOf(clause)
    if (form !== undefined) return form
  }
  return undefined
}

/**
 * Serves `/api`, `/apis` and the group versions below. Documents are cached until something
 * changes. The entry point of this package.
 */
export function createDiscoveryRoute(catalog: DiscoveryCatalog, address: () => string): Route {
  let generation = ''
  let groups: readonly DiscoveredGroup[] = []
  const documents = new Map<string, Document>()

  const document = (key: string, make: () => object): Document => {
    let known = documents.get(key)
    if (known === undefined) {
      const bytes = Buffer.from(JSON.stringify(make()))
      known = { bytes, etag: `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"` }
      documents.set(key, known)
    }
    return known
  }

  return async ({ exchange, reply, path }) => {
    if (catalog.generation !== generation) {
      generation = catalog.generation
      groups = catalog.groups()
      documents.clear()
    }
    const segments = path.split('/').filter((segment) => segment !== '')
    const accept = headerOf(exchange.headers, 'accept')
    const [prefix, first, second] = segments
    if (segments.length === 1) {
      const form = discoveryForm(accept)
      if (form === undefined) throw noAcceptableAnswer()
      const scope = prefix === 'api' ? 'core' : 'groups'
      if (form !== 'legacy') {
        const { bytes, etag } = document(`${form} ${scope}`, () => aggregatedDiscovery(groups, scope, form))
        const headers = { etag, vary: 'Accept', 'cache-control': 'public' }
        // Clients identify the form by these parameters.
        const contentType = `application/json;g=apidiscovery.k8s.io;v=${form};as=APIGroupDiscoveryList`
        if (headerOf(exchange.headers, 'if-none-match') === etag) return reply.send(304, contentType, Buffer.alloc(0), headers)
        return reply.sendCompressed(200, contentType, bytes, headers)
      }
      const list = scope === 'core' ? () => apiVersions(address()) : () => apiGroupList(groups)
      return reply.sendJson(200, [document(`legacy ${scope}`, list).bytes], { vary: 'Accept' })
    }
    const body =
      prefix === 'api'
        ? segments.length === 2 && apiResourceList(groups, '', first ?? '')
        : segments.length === 2
          ? singleApiGroup(groups, first ?? '')
          : segments.length === 3 && apiResourceList(groups, first ?? '', second ?? '')
    if (body === undefined || body === false) throw pathNotFound()
    return reply.sendJson(200, [document(path, () => body).bytes])
  }
}
