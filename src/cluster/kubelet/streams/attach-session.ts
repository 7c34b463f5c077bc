import { statSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Clock } from '#runtime/clock/clock.ts'
import type { FoundLog } from '../logs/find-log.ts'
import { readLog } from '../logs/read-log.ts'
import { writeToStdin } from '../container/container-stdin.ts'
import { exitStatus } from './exit-status.ts'
import { type Session, SessionRefused, type SessionRequest } from './session.ts'

/**
 * Shows what the main process of a container prints from now on, until it ends. Both of its outputs
 * are one file here, and come as stdout.
 * @throws SessionRefused
 */
export function startAttach(clock: Clock, log: FoundLog, stdinPath: string, request: SessionRequest): Session {
  const stdin = request.stdin ? writeToStdin(stdinPath) : undefined
  if (request.stdin && stdin === undefined) throw new SessionRefused('the container was started without stdin: set stdin: true in its spec')
  const over = new AbortController()
  const { promise: status, resolve } = Promise.withResolvers<ReturnType<typeof exitStatus>>()
  const end = (): void => {
    over.abort()
    stdin?.destroy()
    resolve(exitStatus(0))
  }
  // Read before any input can cause output.
  const from = statSync(log.path).size
  const stdout = Readable.from(readLog(log, { clock, from, follow: true, signal: over.signal }), { objectMode: false })
  for (const event of ['error', 'end', 'close']) stdout.once(event, end)
  if (!request.stdout) stdout.resume()
  return { stdin, stdout: request.stdout ? stdout : undefined, stderr: undefined, resize: () => {}, status, end }
}
