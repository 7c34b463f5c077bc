import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeDirectory } from '../data-directory.ts'

/** Output of one run of the API server's container. */
interface ApiServerRun {
  readonly path: string
  readonly writtenMs: number
}

/** Runs of the API server that wrote something since `sinceMs`, newest first. */
export async function runsSince(node: NodeDirectory, sinceMs: number): Promise<readonly ApiServerRun[]> {
  const pods = await readdir(node.pods).catch(() => [])
  const folders = pods.map((pod) => join(node.pods, pod, 'containers', 'apiserver'))
  const logs = await Promise.all(folders.map(async (folder) => (await readdir(folder).catch(() => [])).map((name) => join(folder, name))))
  const runs = await Promise.all(
    logs
      .flat()
      .filter((path) => path.endsWith('.log'))
      .map(async (path) => ({ path, writtenMs: (await stat(path)).mtimeMs })),
  )
  return runs.filter((run) => run.writtenMs >= sinceMs).toSorted((a, b) => b.writtenMs - a.writtenMs)
}

/**
 * The last error that the newest run with one logged, or the end of what was printed. The newest
 * run may not have got so far yet.
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
