import { connect, constants } from 'node:http2'
import type { Probe } from '#api/core/v1/container.ts'
import { messageOf } from '#apimachinery/errors.ts'
import { connectToPod } from '../network/pod-address.ts'
import type { CheckResult, CheckTarget } from './check.ts'

const statusNames = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN']
const serving = 1
const maximumAnswer = 4096

/**
 * Calls `grpc.health.v1.Health/Check`. Never rejects. Only one field of each message matters, so
 * that they are encoded by hand.
 */
export async function checkGrpc(
  grpc: NonNullable<Probe['grpc']>,
  target: Pick<CheckTarget, 'host' | 'network'>,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { host } = target
  const unreachableBy = (error: unknown): CheckResult => ({
    success: false,
    message: `failed to connect service "${host}:${grpc.port}": ${messageOf(error)}`,
  })
  let socket
  try {
    socket = await connectToPod(target, host, grpc.port, signal)
  } catch (error) {
    return unreachableBy(error)
  }
  const session = connect(`http://${host.includes(':') ? `[${host}]` : host}:${grpc.port}`, { createConnection: () => socket })
  const stop = (): void => session.destroy(new Error('no answer in time'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await new Promise<CheckResult>((resolve) => {
      const fail = (message: string): void => resolve({ success: false, message })
      const unreachable = (error: Error): void => resolve(unreachableBy(error))
      session.on('error', unreachable)
      const call = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: '/grpc.health.v1.Health/Check',
        'content-type': 'application/grpc',
        te: 'trailers',
        'user-agent': 'kube-probe/1',
      })
      const chunks: Buffer[] = []
      let size = 0
      let code: string | undefined
      const onHeaders = (headers: object): void => {
        code = (headers as Readonly<Record<string, string | undefined>>)['grpc-status'] ?? code
      }
      call.on('response', onHeaders).on('trailers', onHeaders)
      // A connection error arrives here first, and is the cause.
      call.on('error', (error) =>
        error.cause instanceof Error ? unreachable(error.cause) : fail(`error: health rpc failed: ${error.message}`),
      )
      call.on('data', (chunk: Buffer) => ((size += chunk.length) > maximumAnswer ? call.close() : chunks.push(chunk)))
      call.once('close', () => {
        if (code !== undefined && code !== '0') return fail(`error: health rpc failed with grpc-status ${code}`)
        const status = statusIn(Buffer.concat(chunks))
        if (status === serving) resolve({ success: true, message: '' })
        else fail(`service unhealthy (responded with "${statusNames[status] ?? status}")`)
      })
      call.end(requestBytes(grpc.service ?? ''))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    session.destroy()
  }
}

/** HealthCheckRequest { service = 1 }, not compressed. */
function requestBytes(service: string): Buffer {
  const name = Buffer.from(service).subarray(0, 127)
  const message = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name])
  return Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message])
}

/** HealthCheckResponse { status = 1 }: 0 when it is left out. */
function statusIn(answer: Buffer): number {
  return answer[5] === 0x08 ? (answer[6] ?? 0) : 0
}
