import { ImportFailure } from '../failure.ts'
import type { ImportResult } from '../task/task.ts'
import { describeEnd, type ProgramContext, runProgram } from './program.ts'
import type { Target } from './target.ts'

/** A disk whose content is complete. */
export interface FilledDisk {
  /** Bytes of the content; the disk grows to those of its volume. */
  readonly bytes: number
  readonly preallocation: boolean
  readonly labels: Readonly<Record<string, string>>
}

/**
 * Grows a disk to its volume, makes it lasting, and gives it its name: in this order, so that a
 * disk with its name is a whole one.
 */
export async function finishDisk(target: Target, disk: FilledDisk, context: ProgramContext): Promise<ImportResult> {
  const bytes = Math.max(target.size.usual, disk.bytes)
  const file = await target.open(true)
  try {
    if (!target.isDevice) {
      await file.truncate(bytes)
      await file.chmod(0o660)
    }
    if (disk.preallocation && target.driver === 'file') await preallocate(target.disk, bytes, context)
    await file.sync()
  } finally {
    await file.close()
  }
  const result = completed(disk.labels, target.isDevice ? 'device' : 'disk')
  await target.note.write({ state: 'finished', result })
  await publishFinished(target)
  return result
}

/** The end of {@link finishDisk}, which another run may have to repeat. */
export async function publishFinished(target: Target): Promise<void> {
  await target.publish()
  await target.clean()
}

/** The result of a task that has succeeded. */
export function completed(labels: Readonly<Record<string, string>>, what: 'disk' | 'device' | 'archive'): ImportResult {
  const message = what === 'archive' ? 'The archive is unpacked in the volume' : `The ${what} of the volume is filled`
  return { reason: 'Completed', message, fatal: false, ...(Object.keys(labels).length === 0 ? {} : { labels }) }
}

/**
 * Allocates all blocks without changing what is in them. Where the file system cannot do it by
 * itself, zeros are written.
 */
async function preallocate(path: string, bytes: number, context: ProgramContext): Promise<void> {
  const limits = { memoryBytes: 1024 ** 3, fileBytes: bytes }
  let end = await runProgram(['fallocate', '--length', String(bytes), path], limits, context)
  if (end.code !== 0 && /not supported/i.test(end.complaint))
    end = await runProgram(['fallocate', '--posix', '--length', String(bytes), path], limits, context)
  if (end.code === 0) return
  throw new ImportFailure(
    'NoSpace',
    `The blocks of the disk cannot be allocated (${describeEnd(end)}): use a larger volume, or no preallocation`,
  )
}
