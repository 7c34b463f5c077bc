import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeDirectory } from '../home/data-directory.ts'

/** Log of one run of the API server's container. */
interface ApiServerRun {
  readonly path: string
  readonly writtenMs: number
}

/** Lists the runs of the API server that logged something since `sinceMs`, newest first. */
export async function runsSince(node: NodeDirectory, sinceMs: number): Promise<readonly ApiServerRun[]> {
  const pods = await readdir(node.pods).catch(() => [])
  const folders = pods.map((pod) => join(node.pods, pod, 'containers', 'apiserver'))
  const logs = await Promise.all(folders.map(async (folder) => (await readdir(folder).catch(() => [])).map((name) => join(folder, name))))
  const runs = await Promise.all(
    logs
      .flat()
      .filter((path) => path.endsWith('.log'))
      // The kubelet may remove a pod that has ended meanwhile.
      .map(async (path) => ({ path, writtenMs: (await stat(path).catch(() => undefined))?.mtimeMs })),
  )
  return runs
    .flatMap(({ path, writtenMs }) => (writtenMs === undefined || writtenMs < sinceMs ? [] : [{ path, writtenMs }]))
    .toSorted((a, b) => b.writtenMs - a.writtenMs)
}

/**
 * Returns the last error that was logged, or the last lines of output. Searches older runs when the
 * newest has not logged an error yet.
 */
export async function lastError(runs: readonly ApiServerRun[]): Promise<string> {
  const outputs = await Promise.all(runs.map(({ path }) => readFile(path, 'utf8').catch(() => '')))
  const lines = outputs.map((output) => output.trim().split('\n'))
  const error = lines.map((output) => output.findLast((line) => messageOf(line) !== undefined)).find((line) => line !== undefined)
  if (error !== undefined) return messageOf(error) ?? ''
  return (
    lines
      .find((output) => output.join('') !== '')
      ?.slice(-3)
      .join('\n') ?? 'it prints nothing'
  )
}

function messageOf(line: string): string | undefined {
  try {
    const entry = JSON.parse(line) as { level?: string; msg?: string; err?: { message?: string } }
    if (entry.level !== 'error' && entry.level !== 'fatal') return undefined
    return entry.err?.message ?? entry.msg
  } catch {
    return undefined
  }
}

/** Last exit of the API server, as recorded by the kubelet. */
export interface ApiServerExit {
  readonly exitCode: number
  /** Restarts of the container up to this run. */
  readonly restarts: number
  /** True if a later run is in progress. */
  readonly isRunningAgain: boolean
  /** Milliseconds since the epoch. */
  readonly finishedAt: number
  /** The last error that the API server logged, or the end of its output. */
  readonly error: string
}

/** Returns undefined before the first exit. */
export async function readApiServerExit(node: NodeDirectory): Promise<ApiServerExit | undefined> {
  const records = await Promise.all((await runsSince(node, 0)).map(async ({ path }) => ({ path, record: await readRecord(path) })))
  const newestFirst = records.toSorted((a, b) => (b.record?.startedAt ?? 0) - (a.record?.startedAt ?? 0))
  const last = newestFirst.find(({ record }) => record?.state === 'exited')
  if (last?.record === undefined) return undefined
  const { exit, restart } = last.record
  const error = await lastError([{ path: last.path, writtenMs: 0 }])
  return {
    exitCode: exit?.exitCode ?? 0,
    restarts: restart,
    isRunningAgain: last !== newestFirst[0],
    finishedAt: exit?.finishedAt ?? 0,
    error,
  }
}

/** Fields of the kubelet's container record that are read here. */
interface RunRecord {
  readonly state: 'starting' | 'running' | 'exited'
  readonly restart: number
  readonly startedAt: number
  readonly exit?: { readonly exitCode: number; readonly finishedAt: number }
}

async function readRecord(log: string): Promise<RunRecord | undefined> {
  try {
    return JSON.parse(await readFile(log.replace(/\.log$/, '.json'), 'utf8')) as RunRecord
  } catch {
    return undefined
  }
}
