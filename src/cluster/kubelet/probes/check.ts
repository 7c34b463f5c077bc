import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Container, Probe } from '#api/core/v1/container.ts'
import { messageOf } from '#apimachinery/errors.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { CommandOwner } from '../isolation/command-beside.ts'
import { connectToPod } from '../network/pod-address.ts'
import type { PodNetwork } from '../network/pod-network.ts'
import { runCommandBeside } from '../process/run-command.ts'
import { checkGrpc } from './check-grpc.ts'

// Not imported: see docs/decisions/0008-node-http-by-getbuiltinmodule.md
const { request: httpRequest } = process.getBuiltinModule('node:http')

/** Answer of one probe. */
export interface CheckResult {
  readonly success: boolean
  readonly message: string
}

/** Container to probe. */
export interface CheckTarget {
  readonly container: Container
  readonly pid: number
  readonly host: string
  /** Undefined: this machine has none. */
  readonly network?: PodNetwork | undefined
  /** User of commands; undefined: the kubelet's. */
  readonly owner?: CommandOwner | undefined
}

/** Probes the container once. Never rejects: every error counts as a failure of the container. */
export async function check(clock: Clock, probe: Probe, target: CheckTarget, signal: AbortSignal): Promise<CheckResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000
  const limit = new AbortController()
  const stop = (): void => limit.abort()
  using _timer = clock.after(timeoutMs, stop)
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (probe.exec !== undefined) return await checkExec(clock, probe.exec.command ?? [], target, timeoutMs, signal)
    if (probe.httpGet !== undefined) return await checkHttp(probe.httpGet, target, limit.signal)
    if (probe.tcpSocket !== undefined) return await checkTcp(probe.tcpSocket, target, limit.signal)
    if (probe.grpc !== undefined) return await checkGrpc(probe.grpc, target, limit.signal)
    return { success: false, message: `probe kind is not supported: ${Object.keys(probe).join(', ')}` }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function checkExec(
  clock: Clock,
  command: readonly string[],
  { pid, owner }: CheckTarget,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CheckResult> {
  const result = await runCommandBeside(pid, command, { clock, timeoutMs, signal, owner })
  if (result.timedOut) return { success: false, message: `command ${JSON.stringify(command.join(' '))} timed out` }
  return { success: result.exitCode === 0, message: result.output.trim() }
}

async function checkHttp(get: NonNullable<Probe['httpGet']>, target: CheckTarget, signal: AbortSignal): Promise<CheckResult> {
  const [host, port] = [get.host ?? target.host, portOf(get.port, target.container)]
  try {
    const socket = await connectToPod(target, host, port, signal)
    const code = await requestStatus(get, { host, port, socket, signal })
    return { success: code >= 200 && code < 400, message: `HTTP probe answered with status code: ${code}` }
  } catch (error) {
    return { success: false, message: `Get "${get.path ?? '/'}": ${messageOf(error)}` }
  }
}

function requestStatus(
  get: NonNullable<Probe['httpGet']>,
  { socket, ...place }: { readonly host: string; readonly port: number; readonly socket: Socket; readonly signal: AbortSignal },
): Promise<number> {
  const secure = get.scheme === 'HTTPS'
  const options = {
    ...place,
    path: get.path ?? '/',
    headers: { 'user-agent': 'kube-probe/1', ...Object.fromEntries((get.httpHeaders ?? []).map(({ name, value }) => [name, value])) },
    // Kubernetes does not verify certificates of probes. Without an agent there is no keep-alive:
    // an idle connection would keep the server from closing.
    createConnection: () => (secure ? connectTls({ socket, rejectUnauthorized: false }) : socket),
  }
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(options, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    request.on('error', reject)
    request.end()
  })
}

async function checkTcp(tcp: NonNullable<Probe['tcpSocket']>, target: CheckTarget, signal: AbortSignal): Promise<CheckResult> {
  const port = portOf(tcp.port, target.container)
  try {
    const socket = await connectToPod(target, tcp.host ?? target.host, port, signal)
    socket.destroy()
    return { success: true, message: '' }
  } catch (error) {
    return { success: false, message: `dial tcp port ${port}: ${messageOf(error)}` }
  }
}

/**
 * A port by number, or by its name in the container. 0, to which nothing answers, when there is
 * none of that name.
 */
function portOf(port: number | string, container: Container): number {
  const number = Number(port)
  if (Number.isInteger(number)) return number
  return container.ports?.find((one) => one.name === port)?.containerPort ?? 0
}
