import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace'
import { createOpenTelemetry } from './open-telemetry.ts'
import { noTracing, startTracing, tracing, type Tracing } from './tracing.ts'

async function inMemory(): Promise<{ exporter: InMemorySpanExporter; traces: Tracing }> {
  const exporter = new InMemorySpanExporter()
  return {
    exporter,
    traces: await createOpenTelemetry({ component: 'test', version: 'v1', processor: new SimpleSpanProcessor({ exporter }) }),
  }
}

/** A collector: what it was sent, by the name of the span. */
async function listen(answer: boolean): Promise<{ server: Server; url: string; names: string[] }> {
  const names: string[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[] }
      names.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name))))
      if (answer) response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, names, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

suite('tracing', () => {
  test('work in work is a span in a span, also across waits', async () => {
    const { exporter, traces } = await inMemory()
    await traces.span('outer', { kind: 'VM' }, async () => {
      await Promise.resolve()
      await traces.span('decide', {}, async () => 1)
      await traces.span('inner', {}, async () => {})
    })
    const [decide, inner, outer] = exporter.getFinishedSpans()
    assert.deepEqual([decide?.name, inner?.name, outer?.name], ['decide', 'inner', 'outer'])
    for (const child of [decide, inner]) assert.equal(child?.parentSpanContext?.spanId, outer?.spanContext().spanId)
    assert.deepEqual(outer?.attributes, { kind: 'VM' })
    assert.equal(outer.resource.attributes['service.name'], 'test')
  })

  test('a failure is told, and thrown on', async () => {
    const { exporter, traces } = await inMemory()
    await assert.rejects(
      traces.span('fails', {}, async () => {
        throw new RangeError('too far')
      }),
      RangeError,
    )
    const [span] = exporter.getFinishedSpans()
    assert.deepEqual([span?.status.message, span?.events[0]?.name], ['too far', 'exception'])
  })

  test('a request carries its span to the server, which continues the trace', async () => {
    const { exporter, traces } = await inMemory()
    assert.equal(traces.exchange('GET', '/api'), undefined)
    await traces.span('reconcile', {}, async () => {
      const exchange = traces.exchange('PATCH', '/api/v1/pods')
      assert.ok(exchange)
      await traces.within(exchange.headers['traceparent'], () => traces.span('admission', {}, async () => {}))
      exchange.end(409)
    })
    const [admission, request, reconcile] = exporter.getFinishedSpans()
    assert.equal(admission?.parentSpanContext?.spanId, request?.spanContext().spanId)
    assert.equal(request?.parentSpanContext?.spanId, reconcile?.spanContext().spanId)
    assert.equal(new Set(exporter.getFinishedSpans().map((span) => span.spanContext().traceId)).size, 1)
    assert.deepEqual(request?.attributes, { 'http.request.method': 'PATCH', 'url.path': '/api/v1/pods', 'http.response.status_code': 409 })
  })

  test('a recorded span has the ids and times that it was given', async () => {
    const { exporter, traces } = await inMemory()
    const [traceId, root, stage] = ['ab'.repeat(16), '11'.repeat(8), '22'.repeat(8)]
    const times = { startMs: 1_000_000, endMs: 1_005_500 }
    traces.record({ name: 'upgrade', traceId, spanId: root, ...times, attributes: {} })
    traces.record({ name: 'stage', traceId, spanId: stage, parentId: root, ...times, attributes: { stage: 'API' }, failure: 'no' })
    const [first, second] = exporter.getFinishedSpans()
    assert.deepEqual([first?.spanContext().traceId, first?.spanContext().spanId, first?.parentSpanContext], [traceId, root, undefined])
    assert.deepEqual([second?.spanContext().traceId, second?.spanContext().spanId], [traceId, stage])
    assert.equal(second?.parentSpanContext?.spanId, root)
    assert.deepEqual([second?.startTime, second?.endTime, second?.status.message], [[1000, 0], [1005, 500_000_000], 'no'])
  })

  test('is off without an endpoint, and is sent by OTLP to the one that the environment names', async () => {
    assert.equal(await startTracing('test', 'v1', {}), noTracing)
    assert.equal(await startTracing('test', 'v1', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'true' }), noTracing)
    const { server, url, names } = await listen(true)
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = url
    try {
      const started = await startTracing('test', 'v1', process.env)
      await tracing().span('sent', {}, async () => {})
      await started[Symbol.asyncDispose]()
    } finally {
      delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
      server.close()
    }
    assert.deepEqual(names, ['sent'])
    assert.equal(tracing(), noTracing)
  })

  test('a collector that hangs delays neither work nor the end', async () => {
    const { server, url } = await listen(false)
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = url
    try {
      const started = await startTracing('test', 'v1', process.env)
      // More than the queue holds.
      for (let count = 0; count < 5_000; count++) await tracing().span('work', {}, async () => {})
      await started[Symbol.asyncDispose]()
    } finally {
      delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
      server.closeAllConnections()
      server.close()
    }
  })
})
