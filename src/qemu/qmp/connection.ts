import { connect, type Socket } from 'node:net'
import { QmpClosed, QmpCommandError } from './errors.ts'
import { sendWithDescriptor } from './pass-descriptor.ts'

/** An event that QEMU sent by itself. */
export interface QmpEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  /** Milliseconds since the epoch, by QEMU's clock. */
  readonly timestampMs: number
}

/**
 * A negotiated QMP session. Events before the connection are lost: query the state after
 * connecting.
 */
export interface QmpConnection extends Disposable {
  /**
   * @throws QmpCommandError when QEMU refuses, QmpClosed when the connection ends before the answer
   */
  execute(command: string, argument?: Readonly<Record<string, unknown>>): Promise<unknown>
  /**
   * Executes a command that takes a file: QEMU gets a copy of the descriptor. @throws
   * DescriptorNotPassed, and as {@link execute}
   */
  executeWith(descriptor: number, command: string, argument: Readonly<Record<string, unknown>>): Promise<unknown>
  onEvent(listener: (event: QmpEvent) => void): Disposable
  /** Resolves when the connection has ended, for whatever reason. */
  readonly closed: Promise<void>
}

/** Options of {@link connectQmp}. */
export interface QmpConnectOptions {
  readonly signal?: AbortSignal
  /**
   * Time limit of the greeting. A monitor serves one client: a second one gets no greeting. Default
   * 5 000.
   */
  readonly greetingTimeoutMs?: number
}

interface Waiting {
  readonly command: string
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** Connects to a monitor's unix socket and negotiates capabilities. @throws QmpClosed */
export async function connectQmp(path: string, options: QmpConnectOptions = {}): Promise<QmpConnection> {
  const socket = connect(path)
  const session = new Session(socket)
  const abort = (): void => void socket.destroy()
  const timer = setTimeout(abort, options.greetingTimeoutMs ?? 5_000)
  options.signal?.addEventListener('abort', abort, { once: true })
  try {
    await session.greeting
    await session.execute('qmp_capabilities')
    return session
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', abort)
  }
}

class Session implements QmpConnection {
  readonly closed: Promise<void>
  readonly greeting: Promise<void>
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Set<(event: QmpEvent) => void>()
  #greet: () => void = () => {}
  #nextId = 1
  #partial = ''
  #ended: Error | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    let refuse: (error: Error) => void = () => {}
    this.greeting = new Promise((resolve, reject) => {
      this.#greet = resolve
      refuse = reject
    })
    this.closed = new Promise((resolve) => {
      let cause: Error | undefined
      socket.on('error', (error) => (cause = error))
      socket.on('close', () => {
        const error = new QmpClosed('Cannot talk to QEMU: the monitor connection is closed', { cause })
        this.#ended = error
        refuse(error)
        for (const waiting of this.#waiting.values()) waiting.reject(error)
        this.#waiting.clear()
        resolve()
      })
    })
    // The greeting's rejection has a reader only while connecting.
    this.greeting.catch(() => {})
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => this.#read(chunk))
  }

  execute(command: string, argument?: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#send(command, argument, (message) => this.#write(message))
  }

  executeWith(descriptor: number, command: string, argument: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#send(command, argument, (message) => sendWithDescriptor(this.#socket, message, descriptor))
  }

  /** Sends what is written in one turn at once: QEMU wakes up for each piece that arrives. */
  #write(message: string): void {
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork()
      process.nextTick(() => this.#socket.uncork())
    }
    this.#socket.write(message)
  }

  #send(command: string, argument: Readonly<Record<string, unknown>> | undefined, send: (message: string) => void): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    const id = this.#nextId++
    const message = JSON.stringify({ execute: command, id, ...(argument === undefined ? {} : { arguments: argument }) })
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { command, resolve, reject })
      try {
        send(`${message}\n`)
      } catch (error) {
        this.#waiting.delete(id)
        reject(error instanceof Error ? error : new TypeError(String(error)))
      }
    })
  }

  onEvent(listener: (event: QmpEvent) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  #read(chunk: string): void {
    const lines = (this.#partial + chunk).split('\n')
    this.#partial = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') this.#dispatch(line)
  }

  #dispatch(line: string): void {
    let message: Message
    try {
      message = JSON.parse(line) as Message
    } catch {
      // A monitor that does not speak JSON is not a monitor.
      this.#socket.destroy()
      return
    }
    if (message.QMP !== undefined) return this.#greet()
    if (message.event !== undefined) return this.#emit(message)
    const waiting = this.#waiting.get(message.id ?? -1)
    if (waiting === undefined) return
    this.#waiting.delete(message.id ?? -1)
    if (message.error === undefined) waiting.resolve(message.return)
    else waiting.reject(new QmpCommandError(waiting.command, message.error.class, message.error.desc))
  }

  #emit(message: Message): void {
    const { seconds = 0, microseconds = 0 } = message.timestamp ?? {}
    const event = { event: message.event ?? '', data: message.data ?? {}, timestampMs: seconds * 1000 + Math.floor(microseconds / 1000) }
    for (const listener of this.#listeners) listener(event)
  }
}

interface Message {
  readonly QMP?: unknown
  readonly event?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly timestamp?: { readonly seconds?: number; readonly microseconds?: number }
  readonly id?: number
  readonly return?: unknown
  readonly error?: { readonly class: string; readonly desc: string }
}
