import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'

/** Where a container leaves its termination message. */
const messageFile = '/dev/termination-log'
/** Bytes that Kubernetes keeps of a termination message. */
const mostBytes = 4_096

/** Where results are, and where they go. */
export interface ResultsCollection {
  readonly folder: string
  /** Default: where Kubernetes reads the termination message. */
  readonly file?: string
  /** Fewer bytes in a pod of many containers. */
  readonly mostBytes?: number
}

/**
 * Writes all results of a folder as one JSON object into the termination message, which outlives
 * the pod's volumes. @throws TaskFailed when Kubernetes would cut it off
 */
export async function collectResults({ folder, file = messageFile, mostBytes: most = mostBytes }: ResultsCollection): Promise<void> {
  // Files that are still being written begin with a point.
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).toSorted()
  const entries = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const))
  const text = JSON.stringify(Object.fromEntries(entries))
  const size = Buffer.byteLength(text)
  if (size > most) {
    const sizes = entries.map(([name, value]) => `${name} has ${Buffer.byteLength(value)} bytes`)
    throw new TaskFailed(
      exitCodes.resultsFailed,
      `The results have ${size} bytes together, and Kubernetes keeps ${most}: ${sizes.join(', ')}; write large values to a workspace`,
    )
  }
  await writeFile(file, text)
}
