import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span as a collector gets it. */
export interface CollectedSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Takes the spans that processes send by OTLP over HTTP. */
export interface TraceCollector extends Disposable {
  readonly url: string
  /** All spans so far, by their ids: a span that is sent again replaces the one before. */
  readonly spans: () => readonly CollectedSpan[]
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes'> & { attributes: readonly Attribute[] })[]
    }[]
  }[]
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Starts a collector at an address of this machine. */
export async function startTraceCollector(address: string = '127.0.0.1'): Promise<TraceCollector> {
  const spans = new Map<string, CollectedSpan>()
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      for (const { resource, scopeSpans } of (body as ExportRequest).resourceSpans) {
        const service = String(valuesOf(resource.attributes)['service.name'])
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.set(`${span.traceId}/${span.spanId}`, { ...span, service, attributes: valuesOf(span.attributes) })
      }
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }).listen(0, address)
  await once(server, 'listening')
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    spans: () => [...spans.values()],
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
