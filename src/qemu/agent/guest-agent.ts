import { randomInt } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** The agent refused a command: the guest's system cannot do it. */
export class GuestAgentRefusal extends Error {
  override readonly name = 'GuestAgentRefusal'
}

/** No agent answers: none runs in the guest, it hangs, or it sends what is no answer. */
export class GuestAgentUnavailable extends Error {
  override readonly name = 'GuestAgentUnavailable'
}

/** A connection to the agent in a guest. It answers one command at a time. */
export interface GuestAgent extends Disposable {
  /** @throws GuestAgentRefusal, GuestAgentUnavailable */
  execute(command: string, argument?: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** Limits of a connection. The guest is not trusted. */
export interface GuestAgentLimits {
  /** Milliseconds for an answer. Default 5,000. */
  readonly answerMs?: number
  /** Bytes of an answer. Default 1 MiB. */
  readonly answerBytes?: number
}

/**
 * Bytes that are read at most after a request, with those of earlier ones that are skipped: a guest
 * that sends without end would occupy the agent of its node for the time of an answer.
 */
const readBytes = 4 << 20
/** Byte that begins and ends a synchronization, after which older data is void. */
const sentinel = 0xff

/**
 * Connects to the unix socket of the agent's port and synchronizes: what an earlier client left
 * unread is skipped. @throws GuestAgentUnavailable
 */
export async function connectGuestAgent(path: string, limits: GuestAgentLimits = {}): Promise<GuestAgent> {
  const session = new Session(connect(path), limits)
  try {
    await session.synchronize()
    return session
  } catch (error) {
    session[Symbol.dispose]()
    throw error
  }
}

class Session implements GuestAgent {
  readonly #socket: Socket
  readonly #answerMs: number
  #received: Buffer = Buffer.alloc(0)
  /** Bytes since the last request. */
  #read = 0
  #ended: GuestAgentUnavailable | undefined
  #wake: () => void = () => {}
  #last: Promise<unknown> = Promise.resolve()

  constructor(socket: Socket, { answerMs = 5_000, answerBytes = 1 << 20 }: GuestAgentLimits) {
    this.#socket = socket
    this.#answerMs = answerMs
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#read += chunk.length
      if (this.#read > readBytes) this.#end('it sends without end')
      if (this.#received.length > answerBytes) this.#end(`an answer has more than ${answerBytes} bytes`)
      this.#wake()
    })
    socket.on('error', (error) => this.#end(error.message))
    socket.on('close', () => this.#end('the connection was closed'))
  }

  async synchronize(): Promise<void> {
    const id = randomInt(1, 2 ** 31)
    this.#socket.write(Buffer.concat([Buffer.of(sentinel), lineOf('guest-sync-delimited', { id })]))
    await this.#within(async () => {
      for (;;) {
        const begin = this.#received.indexOf(sentinel)
        if (begin >= 0) {
          this.#received = this.#received.subarray(begin + 1)
          const answer = parse(await this.#line())
          if (answer['return'] === id) return
        } else {
          // Output of an earlier command is not kept.
          this.#received = Buffer.alloc(0)
          await this.#more()
        }
      }
    })
  }

  execute(command: string, argument?: Readonly<Record<string, unknown>>): Promise<unknown> {
    const next = this.#last.then(() => this.#ask(command, argument))
    this.#last = next.catch(() => {})
    return next
  }

  async #ask(command: string, argument: Readonly<Record<string, unknown>> | undefined): Promise<unknown> {
    if (this.#ended !== undefined) throw this.#ended
    this.#read = 0
    this.#socket.write(lineOf(command, argument))
    const answer = await this.#within(async () => parse(await this.#line()))
    const { error } = answer
    if (error !== undefined) throw new GuestAgentRefusal(`the guest agent refused "${command}": ${describe(error)}`)
    return answer['return']
  }

  /** Leaves an agent that is late: its answer would be taken for that to another command. */
  async #within<T>(work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.#end(`no answer within ${this.#answerMs} ms`), this.#answerMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#received.indexOf('\n')
      if (end >= 0) {
        const line = this.#received.subarray(0, end).toString()
        this.#received = this.#received.subarray(end + 1)
        return line
      }
      await this.#more()
    }
  }

  async #more(): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    await promise
    const ended = this.#ended as GuestAgentUnavailable | undefined
    if (ended !== undefined) throw ended
  }

  #end(reason: string): void {
    this.#ended ??= new GuestAgentUnavailable(`The guest agent is not available: ${reason}`)
    this.#socket.destroy()
    this.#wake()
  }

  [Symbol.dispose](): void {
    this.#end('the connection was closed')
  }
}

function lineOf(command: string, argument: Readonly<Record<string, unknown>> | undefined): Buffer {
  return Buffer.from(`${JSON.stringify({ execute: command, ...(argument === undefined ? {} : { arguments: argument }) })}\n`)
}

/** @throws GuestAgentUnavailable */
function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(line) as unknown
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // It is no JSON.
  }
  throw new GuestAgentUnavailable(`The guest agent is not available: "${line.slice(0, 80)}" is no answer`)
}

function describe(error: unknown): string {
  const { desc } = (typeof error === 'object' && error !== null ? error : {}) as { readonly desc?: unknown }
  return typeof desc === 'string' ? desc.slice(0, 300) : 'without a reason'
}
