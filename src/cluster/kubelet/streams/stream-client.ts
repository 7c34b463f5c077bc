import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Duplex, PassThrough, type Readable, Writable } from 'node:stream'
import { badRequest, internalError, type Status } from '#apimachinery/errors.ts'
import { type Channel, channelProtocol, channels, decodeFrames, encodeFrame, maximumPayload } from './channel-frames.ts'
import { failureStatus } from './exit-status.ts'
import type { SessionRequest, TerminalSize } from './session.ts'

// Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
const { request: httpRequest } = process.getBuiltinModule('node:http')

/** Container of a node, and the parameters of the session. */
export interface RemoteSessionRequest extends SessionRequest {
  readonly kind: 'exec' | 'attach'
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly container: string
}

/** A port of a pod. */
export interface RemotePort {
  readonly node: string
  readonly namespace: string
  readonly pod: string
  readonly port: number
}

/** A session on another process' connection. */
export interface RemoteSession extends Disposable {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  resize(size: TerminalSize): void
  /**
   * Final status from the kubelet, after all output. Never rejects: a lost connection is a failure
   * as well.
   */
  readonly status: Promise<Status>
}

/** Opens streams to the kubelets of a machine. */
export interface StreamClient {
  /** @throws StatusError */
  session(request: RemoteSessionRequest, signal: AbortSignal): Promise<RemoteSession>
  /** @throws StatusError */
  connect(request: RemotePort, signal: AbortSignal): Promise<Duplex>
}

/** `socketOf` gives the path of a kubelet's socket. */
export function createStreamClient(socketOf: (node: string) => string): StreamClient {
  return {
    async session({ kind, node, namespace, pod, container, command, ...flags }, signal) {
      const query = new URLSearchParams(Object.entries(flags).map(([name, value]) => [name, String(value)]))
      for (const part of command) query.append('command', part)
      const path = `/${kind}/${[namespace, pod, container].map(encodeURIComponent).join('/')}?${query.toString()}`
      return openSession(await upgrade(socketOf(node), node, path, signal))
    },
    connect({ node, namespace, pod, port }, signal) {
      return upgrade(socketOf(node), node, `/portForward/${[namespace, pod, String(port)].map(encodeURIComponent).join('/')}`, signal)
    },
  }
}

async function upgrade(socketPath: string, node: string, path: string, signal: AbortSignal): Promise<Duplex> {
  let refusal: IncomingMessage
  try {
    const answer = await new Promise<Duplex | IncomingMessage>((resolve, reject) => {
      const headers = { connection: 'Upgrade', upgrade: channelProtocol }
      const asked: ClientRequest = httpRequest({ socketPath, path, headers, agent: false, signal })
      asked.on('upgrade', (_response, socket, head) => {
        if (head.length > 0) socket.unshift(head)
        resolve(socket)
      })
      asked.on('response', resolve)
      asked.on('error', reject)
      asked.end()
    })
    if (!('statusCode' in answer)) return answer as Duplex
    refusal = answer
  } catch (error) {
    throw internalError(`the kubelet of node "${node}" does not answer: ${error instanceof Error ? error.message : String(error)}`, error)
  }
  const message = Buffer.concat((await refusal.toArray()) as Buffer[]).toString()
  throw refusal.statusCode === 404 || refusal.statusCode === 400 ? badRequest(message) : internalError(message)
}

function openSession(connection: Duplex): RemoteSession {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const credit = createCredit(connection)
  const { promise: status, resolve } = Promise.withResolvers<Status>()
  const broken = (): void => {
    resolve(failureStatus('the kubelet has gone while the session was open'))
    stdout.end()
    stderr.end()
    credit.end()
  }
  connection.on('error', () => connection.destroy())
  connection.once('close', broken)
  const receive = async (): Promise<void> => {
    for await (const { channel, payload } of decodeFrames(connection as AsyncIterable<Uint8Array>)) {
      if (channel === channels.stdout) await pass(stdout, payload)
      else if (channel === channels.stderr) await pass(stderr, payload)
      else if (channel === channels.credit) credit.grant(payload.readUInt32BE())
      else if (channel === channels.status) resolve(JSON.parse(payload.toString()) as Status)
    }
    broken()
  }
  receive().catch(() => connection.destroy())
  return {
    stdin: credit.stdin,
    stdout,
    stderr,
    resize: (size) => void (connection.writable && connection.write(encodeFrame(channels.resize, Buffer.from(JSON.stringify(size))))),
    status,
    [Symbol.dispose]: () => connection.destroy(),
  }
}

/** Resolves when the stream takes more, or never will. */
function pass(stream: PassThrough, payload: Buffer): Promise<void> | undefined {
  if (payload.length === 0) return void stream.end()
  if (stream.destroyed || stream.writableEnded || stream.write(payload)) return undefined
  return new Promise((resolve) => {
    const go = (): void => {
      stream.off('drain', go).off('close', go)
      resolve()
    }
    stream.on('drain', go).on('close', go)
  })
}

interface Credit {
  readonly stdin: Writable
  grant(bytes: number): void
  /** No more credit will be granted. */
  end(): void
}

/** Input that goes out only as far as the kubelet gave leave. */
function createCredit(connection: Duplex): Credit {
  let left = 0
  let waiting: (() => void) | undefined
  const wake = (): void => {
    const resume = waiting
    waiting = undefined
    resume?.()
  }
  const sendFrame = (channel: Channel, payload: Uint8Array): void =>
    void (connection.writable && connection.write(encodeFrame(channel, payload)))
  const sendAll = (chunk: Buffer, done: () => void): void => {
    let rest = chunk
    while (rest.length > 0 && connection.writable) {
      if (left === 0) return void (waiting = () => sendAll(rest, done))
      const size = Math.min(rest.length, left, maximumPayload)
      left -= size
      sendFrame(channels.stdin, rest.subarray(0, size))
      rest = rest.subarray(size)
    }
    done()
  }
  return {
    stdin: new Writable({
      write: (chunk: Buffer, _encoding, done) => sendAll(chunk, done),
      final(done) {
        sendFrame(channels.stdin, new Uint8Array())
        done()
      },
    }),
    grant(bytes) {
      left += bytes
      wake()
    },
    end: wake,
  }
}
