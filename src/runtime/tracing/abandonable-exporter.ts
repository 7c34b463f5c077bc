import type { Agent, AgentOptions, ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { SpanExporter } from '@opentelemetry/sdk-trace'

type Spans = Parameters<SpanExporter['export']>[0]
type Report = Parameters<SpanExporter['export']>[1]

/** `ExportResultCode.FAILED`. */
const failed = 1

/**
 * An exporter whose answers need not be awaited any more: the library waits 30 s for each, and a
 * process does not end before.
 */
export class AbandonableExporter implements SpanExporter {
  readonly #inner: SpanExporter
  readonly #waiting = new Set<Report>()
  #isAbandoned = false

  constructor(inner: SpanExporter) {
    this.#inner = inner
  }

  export(spans: Spans, report: Report): void {
    if (this.#isAbandoned) return report({ code: failed })
    this.#waiting.add(report)
    this.#inner.export(spans, (result) => {
      if (this.#waiting.delete(report)) report(result)
    })
  }

  /** Gives up the spans whose answer is awaited. */
  abandon(): void {
    this.#isAbandoned = true
    for (const report of this.#waiting) report({ code: failed, error: new Error('The process ends') })
    this.#waiting.clear()
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown()
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.()
  }
}

/** Creates an agent whose connections do not keep a process alive. */
export async function createIdleAgent(protocol: string, options: AgentOptions = { keepAlive: true }): Promise<Agent> {
  const { Agent: AgentOfProtocol } = protocol === 'https:' ? await import('node:https') : await import('node:http')
  const agent: Agent = new AgentOfProtocol(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (...args) => released(connect(...args))
  const reuse = agent.reuseSocket.bind(agent)
  agent.reuseSocket = (socket: Duplex, request: ClientRequest) => {
    reuse(socket, request)
    released(socket)
  }
  return agent
}

function released<T extends Duplex | null | undefined>(socket: T): T {
  ;(socket as Socket | null | undefined)?.unref()
  return socket
}
