import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { withChecksum } from '../checksum.ts'
import type { ContentSource } from '../content.ts'
import { completed } from '../disk/finish.ts'
import { syncFolder } from '../disk/note.ts'
import type { FillPorts } from '../disk/fill-disk.ts'
import type { Target } from '../disk/target.ts'
import { ImportFailure } from '../failure.ts'
import { decompressed } from '../format/decompress.ts'
import { detect, headBytes } from '../format/detect.ts'
import { withHead } from '../format/head.ts'
import type { ImportResult } from '../task/task.ts'
import { createFolderWriter } from './folder-writer.ts'
import { tarEntries } from './tar-entries.ts'

/** What becomes the files of a volume. */
export interface FolderContent {
  /** Writes all files into an empty folder. Called again when it was interrupted. */
  fill(folder: string): Promise<void>
  /** Called when all files are there. */
  readonly onReceived?: () => void
}

/** An archive to be unpacked. */
export interface ArchiveContent {
  readonly source: ContentSource
  readonly checksum?: string | undefined
}

/** Files and folders of an archive, beyond which it is no data of a guest. */
const mostEntries = 1_000_000

/**
 * Fills a folder beside, and moves what is in it to the root of the volume when all is there.
 * @throws ImportFailure
 */
export async function fillFolder(content: FolderContent, target: Target, ports: FillPorts): Promise<ImportResult> {
  if (target.isDevice) throw new ImportFailure('TaskInvalid', 'An archive is unpacked into a file system: use volumeMode Filesystem')
  const folder = unpackedFolder(target)
  const note = await target.note.read()
  if (note?.state !== 'unpacked') {
    await requireEmptyFolder(target)
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { mode: 0o700 })
    await content.fill(folder)
    await target.note.write({ state: 'unpacked', result: completed({}, 'archive') })
  }
  content.onReceived?.()
  ports.progress.stage('Finishing')
  await moveUp(folder, target.folder)
  const result = completed({}, 'archive')
  await target.note.write({ state: 'finished', result })
  return result
}

/** Where an archive is unpacked until all of it is there. */
export function unpackedFolder({ folder }: Pick<Target, 'folder'>): string {
  return join(folder, '.archive.partial')
}

/** What a new file system has, and what workers leave in it. */
export function isOwn(name: string): boolean {
  return name === 'lost+found' || name === '.archive.partial' || /^\.disk\.img\.(?:import|import\.new|download|partial)$/.test(name)
}

/** @throws ImportFailure */
async function requireEmptyFolder({ folder }: Target): Promise<void> {
  const others = (await readdir(folder)).filter((name) => !isOwn(name))
  if (others.length === 0) return
  throw new ImportFailure(
    'TargetNotEmpty',
    `The volume has files that are not of this source (${others.length}): they are left alone; use an empty claim`,
  )
}

/** Unpacks a tar archive into a folder. @throws ImportFailure */
export async function unpackArchive({ source, checksum }: ArchiveContent, target: Target, folder: string, ports: FillPorts): Promise<void> {
  const { progress, signal } = ports
  progress.stage('Connecting')
  const opened = await source.open(undefined, signal)
  const content = checksum === undefined ? opened : withChecksum(opened, checksum, () => opened.chunks)
  progress.stage('Unpacking')
  progress.expect(opened.total)
  let read = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of content.chunks) {
      signal.throwIfAborted()
      progress.at((read += chunk.length))
      yield chunk
    }
  }
  const outer = await withHead(counted(), headBytes)
  const found = detect(outer.head)
  const inner = found.kind === 'compressed' ? await withHead(decompressed(found.compression, outer.chunks, ports), headBytes) : outer
  try {
    if (detect(inner.head).kind !== 'tar')
      throw new ImportFailure('FormatUnsupported', 'The source is no tar archive, as contentType "archive" wants: use "kubevirt" for disks')
    const writer = createFolderWriter(folder, { bytes: target.size.largest, entries: mostEntries })
    for await (const entry of tarEntries(inner.chunks, archiveBytes(target.size.largest))) {
      signal.throwIfAborted()
      await writer.write(entry)
    }
    await content.verify()
  } finally {
    await inner.close()
    await (opened.chunks as AsyncGenerator<Buffer>).return?.(undefined)
  }
}

/** Bytes of an archive whose files have so many: entries have headers, and fill blocks. */
function archiveBytes(files: number): number {
  return files + Math.ceil(files / 4) + 64 * 1024 * 1024
}

/** Moves all entries to the root of the volume. Can be repeated: those that were moved are gone. */
async function moveUp(folder: string, root: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names) {
    if (isOwn(name)) continue
    const there = await lstat(join(root, name)).catch(() => undefined)
    if (there !== undefined)
      throw new ImportFailure('TargetNotEmpty', 'The volume has got files of others while the archive was unpacked: use an empty claim')
    await rename(join(folder, name), join(root, name))
  }
  await syncFolder(root)
  await rm(folder, { recursive: true, force: true })
}
