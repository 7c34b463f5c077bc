import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '#runtime/clock/clock.ts'
import { findLog } from '../logs/find-log.ts'
import { userOf } from '../isolation/pod-identity.ts'
import type { PodUsers } from '../isolation/pod-users.ts'
import { ContainerNotFound, findContainer, findPod, type FoundContainer } from '../pod/find-container.ts'
import type { RunningRecord } from '../container/container.ts'
import { stdinPathOf } from '../container/container-stdin.ts'
import { readContainerRecords } from '../container/container-record.ts'
import type { ExitWatch } from '../process/exit-watch.ts'
import { isRunning } from '../process/process-identity.ts'
import { addressOf } from '../server/request-address.ts'
import { channelProtocol } from './channel-frames.ts'
import { type NodeNetwork, podAddress } from '../network/pod-address.ts'
import { startAttach } from './attach-session.ts'
import { startExec } from './exec-session.ts'
import { connectToPort, splice } from './forward-port.ts'
import { serveSession } from './serve-session.ts'
import { type Session, SessionRefused, type SessionRequest } from './session.ts'

/** Dependencies of the stream server. */
export interface StreamPorts {
  readonly podsDirectory: string
  readonly clock: Clock
  readonly bootId: string
  readonly exitWatch: ExitWatch
  /** Address of the pods of the node that have none of their own. */
  readonly node: NodeNetwork
  /** Undefined: commands run as the kubelet's user. */
  readonly users?: PodUsers | undefined
}

/** Serves `/exec`, `/attach` and `/portForward` on upgraded connections. */
export interface StreamServer extends Disposable {
  /** Never throws. */
  upgrade(request: IncomingMessage, connection: Duplex): void
}

/** Sessions and forwarded connections at a time. */
const limit = 500

/**
 * Streams between the API server and containers of this node:
 *
 * GET /exec/<namespace>/<pod>/<container>?command=&command=&stdin=&stdout=&stderr=&tty=
 *     frames, see channel-frames.ts
 * GET /attach/<namespace>/<pod>/<container>?stdin=&stdout=&stderr=&tty=                      frames
 * GET /portForward/<namespace>/<pod>/<port>                                                  bytes
 *
 * Disposal ends what runs.
 */
export function createStreamServer(ports: StreamPorts): StreamServer {
  const open = new Set<Duplex>()
  const serve = async (request: IncomingMessage, connection: Duplex): Promise<void> => {
    const asked = addressOf(request)
    if (asked === undefined) return refuse(connection, 400, 'the URL cannot be understood')
    const [kind = '', namespace = '', pod = '', what = ''] = asked.path
    if (request.headers.upgrade !== channelProtocol) return refuse(connection, 400, 'unknown protocol')
    if (open.size > limit) return refuse(connection, 503, 'too many streams are open on this node, please try again later')
    try {
      if (kind === 'portForward') {
        const saved = findPod(ports.podsDirectory, { namespace, pod })
        const target = await connectToPort(ports.node, podAddress(saved.pod, ports.node), Number(what))
        accept(connection)
        return await splice(connection, target)
      }
      if (kind !== 'exec' && kind !== 'attach') return refuse(connection, 404, `there is no "${kind}" here`)
      const session = await start(kind, { namespace, pod, container: what }, sessionRequest(asked.query))
      accept(connection)
      await serveSession(connection, session)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      refuse(connection, error instanceof ContainerNotFound ? 404 : error instanceof SessionRefused ? 400 : 500, message)
    }
  }
  const start = async (
    kind: 'exec' | 'attach',
    address: { namespace: string; pod: string; container: string },
    request: SessionRequest,
  ): Promise<Session> => {
    const { record, directory, spec, saved } = runningRecord(ports, address)
    if (kind === 'exec') {
      const { identity } = saved
      const known = identity?.kind === 'namespace' ? identity : await ports.users?.session(saved.pod, saved.isStatic)
      const user = known === undefined ? undefined : userOf(known, saved.pod, spec)
      return startExec(ports, record.process, request, user === undefined ? undefined : { user, directory })
    }
    return startAttach(ports.clock, findLog(ports.podsDirectory, address), stdinPathOf(directory, record.restart), request)
  }
  return {
    upgrade(request, connection) {
      open.add(connection)
      connection.on('error', () => connection.destroy())
      connection.once('close', () => open.delete(connection))
      void serve(request, connection)
    },
    [Symbol.dispose]: () => {
      for (const connection of open) connection.destroy()
    },
  }
}

function runningRecord(
  ports: StreamPorts,
  address: { namespace: string; pod: string; container: string },
): FoundContainer & { readonly record: RunningRecord } {
  const { spec, directory, saved } = findContainer(ports.podsDirectory, address)
  const [record] = readContainerRecords(directory)
  if (record?.state === 'running' && isRunning(record.process, ports.bootId)) return { record, directory, spec, saved }
  throw new ContainerNotFound(`container not found ("${spec.name}")`)
}

function sessionRequest(query: URLSearchParams): SessionRequest {
  const isSet = (name: string): boolean => query.get(name) === 'true'
  return {
    command: query.getAll('command'),
    stdin: isSet('stdin'),
    stdout: isSet('stdout'),
    stderr: isSet('stderr'),
    tty: isSet('tty'),
  }
}

function accept(connection: Duplex): void {
  connection.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${channelProtocol}\r\n\r\n`)
}

function refuse(connection: Duplex, code: number, message: string): void {
  const body = Buffer.from(message)
  connection.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 ${code} Refused\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`), body]),
  )
}
