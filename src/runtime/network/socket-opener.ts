import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket as DatagramSocket } from 'node:dgram'
import type { Socket } from 'node:net'
import { inNetworkNamespace, networkEnvironment } from './network-namespace.ts'

/** Where a TCP connection leads to. */
export interface Destination {
  readonly host: string
  readonly port: number
}

interface Request {
  readonly id: number
  /** Absent for a socket for UDP. */
  readonly to?: Destination
}

interface Answer {
  readonly id: number
  readonly error?: { readonly code: string | undefined; readonly message: string }
}

/** A TCP connection, or a socket for UDP. */
export type Opened = Socket | DatagramSocket

/**
 * A child in a network namespace that opens sockets, which it passes to this process. It ends with
 * this process.
 */
export class SocketOpener {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<Opened>>()
  #requests = 0
  #said = ''
  /** It opens no more. */
  hasEnded = false

  constructor(namespace: string) {
    const [program, ...args] = inNetworkNamespace(namespace, [process.execPath, '--eval', childProgram])
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: networkEnvironment })
    this.#child = child
    child.stderr?.on('data', (chunk: Buffer) => (this.#said = (this.#said + chunk.toString()).slice(-1_000)))
    child.on('message', (answer: Answer, handle: unknown) => this.#settle(answer, handle as Opened | undefined))
    child.on('error', ({ message }) => (this.#said ||= message))
    child.once('exit', () => (this.hasEnded = true))
    child.once('close', () => this.#fail())
    // This process may end before it.
    for (const one of [child, child.channel, child.stderr as Socket | null]) one?.unref()
  }

  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /** Rejects with the error of the system, or when the network cannot be entered. */
  open(to: Destination | undefined): Promise<Opened> {
    const id = ++this.#requests
    const pending = Promise.withResolvers<Opened>()
    this.#pending.set(id, pending)
    // A child that cannot be asked has ended, and its end is reported with what it said.
    this.#child.send({ id, ...(to === undefined ? {} : { to }) } satisfies Request, () => {})
    return pending.promise
  }

  end(): void {
    this.hasEnded = true
    if (this.#child.connected) this.#child.disconnect()
  }

  #settle({ id, error }: Answer, opened?: Opened): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (error === undefined && opened !== undefined) pending?.resolve(opened)
    else pending?.reject(Object.assign(new Error(error?.message ?? 'the connection was closed'), { code: error?.code }))
  }

  #fail(): void {
    this.hasEnded = true
    const message = `the pod network cannot be entered: ${this.#said.trim() || 'the process in it was ended'}`
    for (const id of this.#pending.keys()) this.#settle({ id, error: { code: undefined, message } })
  }
}

/** Runs in the child, as its whole program. */
function serveRequests(net: typeof import('node:net'), dgram: typeof import('node:dgram')): void {
  process.on('disconnect', () => process.exit())
  process.on('message', ({ id, to }: Request) => {
    const answer = (error?: NodeJS.ErrnoException): Answer =>
      error === undefined ? { id } : { id, error: { code: error.code, message: error.message } }
    if (to === undefined) {
      const socket = dgram.createSocket('udp4')
      socket.once('error', (error) => process.send?.(answer(error)))
      // Otherwise both processes would receive.
      socket.bind(0, () => process.send?.(answer(), socket, () => socket.close()))
      return
    }
    // Paused: what is read here would be lost.
    const socket = net.connect({ ...to, noDelay: true }).pause()
    socket.once('error', (error) => process.send?.(answer(error)))
    socket.once('connect', () => process.send?.(answer(), socket))
  })
}

const childProgram = `(${serveRequests.toString()})(require('node:net'), require('node:dgram'))`
