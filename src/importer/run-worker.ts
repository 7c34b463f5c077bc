import { join } from 'node:path'
import { runDigestTask } from './digest.ts'
import { ImportFailure } from './failure.ts'
import { usualPatience } from './http/watched-body.ts'
import { parseTask } from './task/parse-task.ts'
import { createProgress } from './progress.ts'
import { createPeerDesk } from './server/peer-desk.ts'
import type { SecretFolders } from './secrets.ts'
import { createUploadDesk } from './server/uploads.ts'
import { createVolumeServer } from './server/volume-server.ts'
import { startWorkerServer, type WorkerServerOptions } from './server/worker-server.ts'
import { exitCodes, type ImportResult, workerPaths } from './task/task.ts'
import { systemTime } from './time.ts'
import { runTask } from './worker.ts'

/** Environment of a worker. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What {@link runWorker} depends on. */
export interface WorkerOptions {
  readonly environment: Environment
  readonly signal: AbortSignal
  /** Folder for temporary files. */
  readonly temporary: string
  /** Tells of errors that are not the source's. */
  readonly onError: (error: unknown) => void
}

/** How a worker ended. */
export interface WorkerEnd {
  readonly result: ImportResult
  readonly exitCode: number
}

/**
 * Runs a worker from its environment: the task, and where things are if not at `workerPaths`.
 *
 * | variable | default |
 * |---|---|
 * | IMPORTER_TASK | |
 * | IMPORTER_SERVES | no volume: serves this disk or device until it is stopped, and has no task |
 * | IMPORTER_PORT | no server |
 * | IMPORTER_ADDRESS | POD_IP |
 * | IMPORTER_CREDENTIALS, IMPORTER_HEADERS, IMPORTER_AUTHORITIES, IMPORTER_SERVING | `workerPaths` |
 * | IMPORTER_SCRATCH | no such folder: in machine mode, other workers leave its mount point |
 * | STEADYVM_MOUNTS | `path=where it is:…`, from kubelets that cannot mount |
 */
export async function runWorker({ environment, signal, temporary, onError }: WorkerOptions): Promise<WorkerEnd> {
  const place = placesOf(environment)
  const progress = createProgress()
  try {
    const served = environment['IMPORTER_SERVES']
    if (served !== undefined) {
      const tools = { path: environment['PATH'] ?? '/usr/bin:/bin', signal }
      await using _volume = await serve(environment, place, progress, createVolumeServer(locate(environment, served), tools))
      await aborted(signal)
      return { result: { reason: 'Completed', message: '', fatal: false }, exitCode: exitCodes.completed }
    }
    const task = parseTask(environment['IMPORTER_TASK'])
    const shared = {
      signal,
      progress,
      time: systemTime,
      patience: usualPatience,
      tries: 5,
      secrets: secretsOf(place),
      proxies: proxiesOf(environment),
    }
    if ('kind' in task) return { result: await runDigestTask(task, shared), exitCode: exitCodes.completed }
    const uploads = task.source.kind === 'upload' ? createUploadDesk(usualPatience, systemTime) : undefined
    const peers = task.source.kind === 'peer' ? createPeerDesk(task.source.controller) : undefined
    await using _server = await serve(environment, place, progress, uploads ?? peers)
    const scratch = environment['IMPORTER_SCRATCH']
    const result = await runTask(
      { ...task, target: locate(environment, task.target), source: locatedSource(environment, task.source) },
      {
        ...shared,
        path: environment['PATH'] ?? '/usr/bin:/bin',
        scratch: { mounted: scratch === undefined ? undefined : locate(environment, scratch), temporary },
        uploads: environment['IMPORTER_PORT'] === undefined ? undefined : uploads,
        peers: environment['IMPORTER_PORT'] === undefined ? undefined : peers,
        serving: place('IMPORTER_SERVING', workerPaths.serving),
      },
    )
    return { result, exitCode: exitCodes.completed }
  } catch (error) {
    return failed(error, signal, onError)
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

/** Kubernetes takes 4096 bytes of a termination message, and so leaves these for labels. */
const longestMessage = 1500

function failed(error: unknown, signal: AbortSignal, onError: (error: unknown) => void): WorkerEnd {
  if (signal.aborted)
    return {
      result: { reason: 'Stopped', message: 'The worker was stopped; it continues when it is started again', fatal: false },
      exitCode: exitCodes.failedForNow,
    }
  onError(error)
  const { reason, message, fatal } =
    error instanceof ImportFailure
      ? error
      : { reason: 'UnexpectedError', message: `The worker failed (${(error as Error).message}): see its log`, fatal: false }
  return {
    result: { reason, message: message.slice(0, longestMessage), fatal },
    exitCode: fatal ? exitCodes.failedForGood : exitCodes.failedForNow,
  }
}

function secretsOf(place: Place): SecretFolders {
  return {
    credentials: place('IMPORTER_CREDENTIALS', workerPaths.credentials),
    headers: place('IMPORTER_HEADERS', workerPaths.headers),
    authorities: place('IMPORTER_AUTHORITIES', workerPaths.authorities),
  }
}

type Place = (variable: string, usual: string) => string

function placesOf(environment: Environment): Place {
  return (variable, usual) => environment[variable] ?? locate(environment, usual)
}

/** Where a path of the container is, for kubelets that cannot mount volumes there. */
function locate(environment: Environment, path: string): string {
  const mounts = (environment['STEADYVM_MOUNTS'] ?? '').split(':').map((each) => each.split('='))
  const found = mounts.find(([target = '']) => target !== '' && (path === target || path.startsWith(`${target}/`)))
  const [target = '', source = ''] = found ?? []
  return found === undefined ? path : join(source, path.slice(target.length))
}

function locatedSource<Source extends { readonly kind: string }>(environment: Environment, source: Source): Source {
  return 'path' in source && typeof source.path === 'string' ? { ...source, path: locate(environment, source.path) } : source
}

async function serve(
  environment: Environment,
  place: Place,
  progress: ReturnType<typeof createProgress>,
  desk: { readonly serve: NonNullable<WorkerServerOptions['otherwise']> } | undefined,
): Promise<AsyncDisposable | undefined> {
  const port = environment['IMPORTER_PORT']
  if (port === undefined) return undefined
  return startWorkerServer({
    serving: place('IMPORTER_SERVING', workerPaths.serving),
    host: environment['IMPORTER_ADDRESS'] ?? environment['POD_IP'] ?? '127.0.0.1',
    port: Number(port),
    progress,
    ...(desk === undefined ? {} : { otherwise: (request, response) => desk.serve(request, response) }),
  })
}

function proxiesOf(environment: Environment): Environment {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']
  return Object.fromEntries(names.map((name) => [name, environment[name]]))
}
