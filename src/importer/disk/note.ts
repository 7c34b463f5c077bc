import { createHash } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DiskFormat } from '../format/detect.ts'
import type { ImportResult, ImportTask } from '../task/task.ts'

/** What a worker writes down for the next one, which may follow after a kill at any moment. */
export type Note =
  /** Bytes up to `offset` are on the disk: of the target for a raw disk, else of the download. */
  | {
      readonly state: 'downloading'
      readonly format: DiskFormat
      readonly offset: number
      readonly validator: string
      readonly total?: number
    }
  /** The image is whole and was verified. */
  | {
      readonly state: 'downloaded'
      readonly format: DiskFormat
      readonly labels: Readonly<Record<string, string>>
      readonly validator?: string
    }
  /** The content was unpacked, and its parts get their names. */
  | { readonly state: 'unpacked'; readonly result: ImportResult }
  /** The target is filled, or becomes so by a rename. */
  | { readonly state: 'finished'; readonly result: ImportResult }

/** Keeps the note of one task in a file. */
export interface NoteFile {
  /** Undefined: there is none, or one of another task. Removes what a kill has left. */
  read(): Promise<Note | undefined>
  /** Stores a note, so that a power cut cannot lose it. */
  write(note: Note): Promise<void>
  remove(): Promise<void>
}

interface Stored {
  /** Digest of source and target, whose addresses are not for readers of the volume. */
  readonly task: string
  readonly note: Note
}

/** Opens the note of a task. A note that cannot be read is none. */
export function createNoteFile(path: string, { source, target, contentType }: ImportTask): NoteFile {
  const digest = createHash('sha256')
    .update(JSON.stringify([source, target, contentType]))
    .digest('hex')
  return {
    async read() {
      // A note that was being written says nothing.
      await rm(`${path}.new`, { force: true })
      try {
        const stored = JSON.parse(await readFile(path, 'utf8')) as Stored
        return stored.task === digest ? stored.note : undefined
      } catch (error) {
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async write(note) {
      const aside = `${path}.new`
      await rm(aside, { force: true })
      const file = await open(aside, 'wx', 0o640)
      try {
        await file.writeFile(JSON.stringify({ task: digest, note } satisfies Stored))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(aside, path)
      await syncFolder(dirname(path))
    },
    async remove() {
      await rm(path, { force: true })
    },
  }
}

/** Makes names in a folder lasting. Some file systems cannot, and need not. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await folder.close()
  }
}
