import type { TracedExchange } from '#client/rest-client.ts'

/** Attributes of a span, by the names of OpenTelemetry's conventions where there is one. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** A span whose times and ids are known: a part of work that outlives processes. */
export interface RecordedSpan {
  readonly name: string
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. A span that is recorded again has the same id. */
  readonly spanId: string
  /** Id of the span that this one is a part of. Absent: it is the root of its trace. */
  readonly parentId?: string
  /** Milliseconds since the epoch. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: SpanAttributes
  /** Reason for which the work failed. */
  readonly failure?: string
}

/** Reports what a process does as spans of OpenTelemetry. */
export interface Tracing {
  /** False: nothing is reported, and every method is free of cost. */
  readonly isOn: boolean
  /** Does work in a span, which is part of the current one. */
  span<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>
  /** Does work as a part of the span that a request names in its header `traceparent` (W3C). */
  within<T>(traceparent: string | readonly string[] | undefined, work: () => T): T
  /** Begins the span of a request to a server. Undefined outside of a span, and when it is off. */
  exchange(method: string, path: string): TracedExchange | undefined
  /** Reports a span of the past. */
  record(span: RecordedSpan): void
  /** Sends what is left, and ends. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Reports nothing. */
export const noTracing: Tracing = {
  isOn: false,
  span: (_name, _attributes, work) => work(),
  within: (_traceparent, work) => work(),
  exchange: () => undefined,
  record() {},
  async [Symbol.asyncDispose]() {},
}

let current: Tracing = noTracing

/**
 * Returns the tracing of this process. One for all of it, as OpenTelemetry has it: passing it to
 * each controller and client would cost every one of them a parameter that most runs do not use.
 */
export function tracing(): Tracing {
  return current
}

/** Traces the requests of a client: its option `trace`. */
export function traceExchange(method: string, path: string): TracedExchange | undefined {
  return current.exchange(method, path)
}

/** Variables that switch tracing on, as OpenTelemetry defines them. */
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const

/**
 * Starts tracing for this process when the environment names an endpoint, and `OTEL_SDK_DISABLED`
 * is not `true`. The library is loaded only then. The result ends it.
 */
export async function startTracing(component: string, version: string, env: Readonly<NodeJS.ProcessEnv>): Promise<AsyncDisposable> {
  const isWanted = endpointVariables.some((name) => (env[name] ?? '') !== '') && env['OTEL_SDK_DISABLED'] !== 'true'
  if (!isWanted) return noTracing
  const { createOpenTelemetry } = await import('./open-telemetry.ts')
  const started = await createOpenTelemetry({ component, version })
  current = started
  return {
    async [Symbol.asyncDispose]() {
      current = noTracing
      await started[Symbol.asyncDispose]()
    },
  }
}
