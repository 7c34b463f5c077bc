import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rm, symlink } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { freeChunk } from '../chunk.ts'
import { ImportFailure } from '../failure.ts'
import { quote, safePath, type TarEntry } from './tar-entries.ts'

/** Limits of what is unpacked. */
export interface UnpackLimits {
  readonly bytes: number
  readonly entries: number
}

/** Unpacks entries into a folder that nothing else writes to. */
export interface FolderWriter {
  /** @throws ImportFailure */
  write(entry: TarEntry): Promise<void>
  /** Removes a file or folder. */
  remove(path: string): Promise<void>
  /** Removes all in a folder but the paths that are given, and the folders above them. */
  empty(path: string, except: ReadonlySet<string>): Promise<void>
}

/**
 * Creates a writer into a folder. It follows no link: the folders above an entry must be folders,
 * and links may lead only to what is below the root. Owners are not taken over, nor bits that give
 * rights.
 */
export function createFolderWriter(root: string, limits: UnpackLimits): FolderWriter {
  let bytes = 0
  let entries = 0

  /** Creates the folders above a path. @throws ImportFailure when one of them is something else */
  async function prepare(path: string): Promise<string> {
    let folder = root
    for (const part of dirname(path)
      .split('/')
      .filter((each) => each !== '.' && each !== '')) {
      folder = join(folder, part)
      const found = await lstat(folder).catch(() => undefined)
      if (found === undefined) await mkdir(folder, { mode: 0o755 })
      else if (!found.isDirectory())
        throw new ImportFailure(
          'UnsafeArchive',
          `The archive puts "${quote(path)}" behind a link or a file: pack it again without links to folders`,
        )
    }
    return join(root, path)
  }

  async function writeFile(path: string, { chunks, mode, bytes: size }: TarEntry): Promise<void> {
    bytes += size
    if (bytes > limits.bytes)
      throw new ImportFailure('VolumeTooSmall', `The archive unpacks to more than ${limits.bytes} bytes. A larger PVC is required`)
    await rm(path, { force: true, recursive: true })
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    // The umask may not take rights away that the archive gives.
    const file = await open(path, flags, 0o600)
    try {
      await file.chmod(mode | 0o600)
      for await (const chunk of chunks) {
        await file.writeFile(chunk)
        freeChunk(chunk)
      }
    } finally {
      await file.close()
    }
  }

  return {
    async write(entry) {
      if (entry.path === '') return
      entries++
      if (entries > limits.entries)
        throw new ImportFailure('UnsafeArchive', `The archive has more than ${limits.entries} entries: use fewer, or a disk`)
      const path = await prepare(entry.path)
      switch (entry.kind) {
        case 'directory': {
          const found = await lstat(path).catch(() => undefined)
          if (found?.isDirectory() === true) return
          await rm(path, { force: true })
          await mkdir(path, { mode: entry.mode | 0o700 })
          return
        }
        case 'symlink':
          await rm(path, { force: true, recursive: true })
          return symlink(insideTarget(entry), path)
        case 'link':
          return hardLink(root, entry, path)
        case 'file':
          return writeFile(path, entry)
      }
    },
    async remove(path) {
      await rm(await prepare(path), { force: true, recursive: true })
    },
    async empty(path, except) {
      const whole = path === '' ? root : await prepare(path)
      if ((await lstat(whole).catch(() => undefined))?.isDirectory() !== true) return
      const kept = [...except]
      for (const name of await readdir(whole, { recursive: true })) {
        const each = path === '' ? name : `${path}/${name}`
        if (!kept.some((one) => one === each || one.startsWith(`${each}/`))) await rm(join(root, each), { force: true, recursive: true })
      }
    },
  }
}

/**
 * The target of a symbolic link, relative to its folder, so that it stays below the root wherever
 * that is mounted. `..` is allowed at the start only: behind another link, it could lead out.
 * @throws ImportFailure
 */
export function insideTarget({ path, target }: Pick<TarEntry, 'path' | 'target'>): string {
  const depth = path.split('/').length - 1
  const relative = target.startsWith('/') ? posix.join('../'.repeat(depth), target.replace(/^\/+/, '')) || '.' : target
  const parts = relative.split('/').filter((part) => part !== '' && part !== '.')
  const ups = parts.findIndex((part) => part !== '..')
  const leading = ups === -1 ? parts.length : ups
  if (target === '' || target.includes('\0') || leading > depth || parts.slice(leading).includes('..'))
    throw new ImportFailure('UnsafeArchive', `The archive has a link "${quote(path)}" that leads out of it: pack it again without`)
  return relative
}

/** A second name of a file of the same archive. @throws ImportFailure */
async function hardLink(root: string, { path, target }: TarEntry, at: string): Promise<void> {
  const source = safePath(target)
  const parts = source.split('/')
  let folder = root
  for (const part of parts) {
    folder = join(folder, part)
    const found = await lstat(folder).catch(() => undefined)
    const isWanted = folder === join(root, source) ? found?.isFile() : found?.isDirectory()
    if (isWanted !== true)
      throw new ImportFailure('UnsafeArchive', `The archive has a link "${quote(path)}" to what is no file of it: pack it again without`)
  }
  if (folder === at) return
  await rm(at, { force: true, recursive: true })
  await link(folder, at)
}
