import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { aborted } from '#runtime/clock/abort.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import { serverPaths, taskVariable, tokenKey, type ExportTask } from '../export-task.ts'
import { readToken } from './access-token.ts'
import { containerPlace } from './container-place.ts'
import { startExportServer } from './export-server.ts'
import { routesOf } from './routes.ts'

/** The container has no task. */
export class TaskMissing extends Error {
  override readonly name = 'TaskMissing'
}

/** Dependencies of {@link runExportServer}. */
export interface ExportServerProcess {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Undefined: all addresses. */
  readonly host: string | undefined
  readonly port: number
  readonly clock: Clock
  readonly log: Logger
}

/** Longer times overflow timers. */
const longestWaitMs = 2 ** 31 - 1

/**
 * Serves what the task of the environment names, until its deadline or the signal. @throws
 * TaskMissing
 */
export async function runExportServer({ environment, host, port, clock, log }: ExportServerProcess, signal: AbortSignal): Promise<void> {
  const text = environment[taskVariable]
  if (text === undefined) throw new TaskMissing(`The environment must have ${taskVariable}: virt-controller starts this program`)
  const task = JSON.parse(text) as ExportTask
  const placeOf = containerPlace(environment)
  const [cert, key] = await Promise.all(['tls.crt', 'tls.key'].map((name) => readFile(join(placeOf(serverPaths.serving), name), 'utf8')))
  const token = (): Promise<string> => readToken(join(placeOf(serverPaths.token), tokenKey))
  await using server = await startExportServer({
    host,
    port,
    tls: { cert: cert ?? '', key: key ?? '', limits: task.tls },
    routes: routesOf({ task, placeOf, token }),
    token,
    log,
  })
  log.info({ port: server.port, deadline: task.deadline, volumes: task.volumes.map(({ claim }) => claim) }, 'ready')
  const left = Date.parse(task.deadline) - clock.now()
  const late = Promise.withResolvers<void>()
  using _timer = clock.after(Math.min(longestWaitMs, Math.max(0, left)), () => late.resolve())
  await Promise.race([late.promise, aborted(signal)])
  log.info({}, signal.aborted ? 'Asked to stop' : 'The deadline has come')
}
