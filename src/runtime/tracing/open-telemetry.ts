import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '@opentelemetry/api'
import type { IdGenerator, SpanProcessor } from '@opentelemetry/sdk-trace'
import { parseTraceparent, traceparentOf } from '#apimachinery/traceparent.ts'
import { AbandonableExporter, createIdleAgent } from './abandonable-exporter.ts'
import type { RecordedSpan, Tracing } from './tracing.ts'

/** What spans are about. */
export interface OpenTelemetryOptions {
  /** `service.name`, unless the environment sets another one. */
  readonly component: string
  /** `service.version`. */
  readonly version: string
  /** Default: spans are sent in batches to the endpoint that the environment names. */
  readonly processor?: SpanProcessor
}

/**
 * Milliseconds in which the rest is sent at the end. A collector that hangs must not delay the end
 * of a component.
 */
const lastFlushMs = 2_000

/**
 * Reports spans by OTLP over HTTP, as the variables `OTEL_…` configure. Spans wait in a queue of
 * limited length: a collector that is slow or gone costs spans and delays nothing.
 */
export async function createOpenTelemetry({ component, version, processor }: OpenTelemetryOptions): Promise<Tracing> {
  const { api, exporter, resources, sdk } = await loadLibrary()
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } = api
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources
  const contexts = new AsyncLocalStorage<Context>()
  const collector = new AbandonableExporter(new exporter.OTLPTraceExporter({ httpAgentOptions: createIdleAgent }))
  const ids = new ChosenIds(new sdk.RandomIdGenerator())
  const provider = new sdk.TracerProvider({
    idGenerator: ids,
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': component, 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [processor ?? new sdk.BatchSpanProcessor({ exporter: collector })],
  })
  const tracer = provider.getTracer('steadyvm', version)
  const here = (): Context => contexts.getStore() ?? ROOT_CONTEXT

  return {
    isOn: true,
    async span(name, attributes, work) {
      const span = tracer.startSpan(name, { attributes }, here())
      try {
        return await contexts.run(trace.setSpan(here(), span), work)
      } catch (error) {
        if (error instanceof Error) span.recordException(error)
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) })
        throw error
      } finally {
        span.end()
      }
    },
    within(traceparent, work) {
      const parent = parseTraceparent(traceparent)
      return parent === undefined ? work() : contexts.run(trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }), work)
    },
    exchange(method, path) {
      if (trace.getSpanContext(here()) === undefined) return undefined
      const attributes = { 'http.request.method': method, 'url.path': path }
      const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, here())
      return {
        headers: { traceparent: traceparentOf(span.spanContext()) },
        end(code) {
          if (code !== undefined) span.setAttribute('http.response.status_code', code)
          if (code === undefined || code >= 400) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    record({ name, traceId, spanId, parentId, startMs, endMs, attributes, failure }: RecordedSpan) {
      const parent =
        parentId === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true })
      const span = ids.choose({ traceId, spanId }, () => tracer.startSpan(name, { attributes, startTime: startMs }, parent))
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
      span.end(endMs)
    },
    async [Symbol.asyncDispose]() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, lastFlushMs)
      await Promise.race([provider.shutdown().catch(() => {}), late])
      clearTimeout(timer)
      collector.abandon()
    },
  }
}

/**
 * Loads the packages. Imported in here, since imports of packages at the head of a module are moved
 * to the head of the bundled program, and cost each process 23 MiB also without tracing.
 */
async function loadLibrary(): Promise<{
  readonly api: typeof import('@opentelemetry/api')
  readonly exporter: typeof import('@opentelemetry/exporter-trace-otlp-http')
  readonly resources: typeof import('@opentelemetry/resources')
  readonly sdk: typeof import('@opentelemetry/sdk-trace')
}> {
  const [api, exporter, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ])
  return { api, exporter, resources, sdk }
}

/** Ids at random, and chosen ones for spans that may be recorded again. */
class ChosenIds implements IdGenerator {
  readonly #random: IdGenerator
  #chosen: { readonly traceId: string; readonly spanId: string } | undefined

  constructor(random: IdGenerator) {
    this.#random = random
  }

  choose<T>(chosen: { readonly traceId: string; readonly spanId: string }, start: () => T): T {
    this.#chosen = chosen
    try {
      return start()
    } finally {
      this.#chosen = undefined
    }
  }

  generateTraceId(): string {
    return this.#chosen?.traceId ?? this.#random.generateTraceId()
  }

  generateSpanId(): string {
    return this.#chosen?.spanId ?? this.#random.generateSpanId()
  }
}
