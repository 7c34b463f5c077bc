import { constants } from 'node:fs'
import { open, readdir, readlink, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pack, type Header, type Pack } from 'tar-stream'
import { pathOf } from './open-beneath.ts'

/** Made by file systems, and of no use elsewhere. */
const excluded: ReadonlySet<string> = new Set(['lost+found'])

/** The client no longer reads the archive. */
class ArchiveAbandoned extends Error {
  override readonly name = 'ArchiveAbandoned'
}

/**
 * Archives an open folder as tar. Links stay links; devices, sockets and FIFOs are left out. The
 * consumer sets the pace. Reading has ended when the stream has.
 */
export function archiveOf(folder: FileHandle): Readable {
  const archive = pack()
  addFolder(archive, folder, '.').then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new ArchiveAbandoned(String(error))),
  )
  return Readable.from(archive)
}

async function addFolder(archive: Pack, folder: FileHandle, name: string): Promise<void> {
  archive.entry({ ...(await headersOf(folder)), name: `${name}/`, type: 'directory' })
  for (const entry of (await readdir(pathOf(folder))).toSorted()) {
    if (archive.destroying) throw new ArchiveAbandoned('The client has left')
    if (!excluded.has(entry)) await addChild(archive, folder, entry, `${name}/${entry}`)
  }
}

async function addChild(archive: Pack, folder: FileHandle, entry: string, name: string): Promise<void> {
  const path = `${pathOf(folder)}/${entry}`
  let child: FileHandle
  try {
    child = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP') return void archive.entry({ name, type: 'symlink', linkname: await readlink(path), mode: 0o777 })
    // A socket cannot be opened.
    if (code === 'ENXIO') return
    throw error
  }
  await using opened = child
  const found = await opened.stat()
  if (found.isDirectory()) await addFolder(archive, opened, name)
  if (found.isFile()) await addFile(archive, opened, { ...(await headersOf(opened)), name, type: 'file', size: found.size })
}

async function addFile(archive: Pack, file: FileHandle, header: Partial<Header> & Pick<Header, 'name' | 'size'>): Promise<void> {
  const sink = archive.entry(header)
  // A consumer that fails ends the entry with its error, which the archive reports itself.
  sink.on('error', () => {})
  const content = file.createReadStream({ autoClose: false, start: 0, end: Math.max(0, header.size - 1), highWaterMark: 1 << 20 })
  for await (const chunk of header.size === 0 ? [] : content) {
    if (sink.write(chunk)) continue
    if (sink.destroying) throw new ArchiveAbandoned('The client has left')
    await new Promise<void>((resolve, reject) => {
      sink.once('drain', () => resolve())
      sink.once('close', () => reject(new ArchiveAbandoned('The client has left')))
    })
  }
  content.destroy()
  sink.end(undefined)
}

async function headersOf(file: FileHandle): Promise<Pick<Header, 'mode' | 'uid' | 'gid' | 'mtime'>> {
  const { mode, uid, gid, mtime } = await file.stat()
  return { mode: mode & 0o7777, uid, gid, mtime }
}
