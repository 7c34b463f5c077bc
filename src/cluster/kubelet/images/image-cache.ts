import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '#runtime/process/replace-file.ts'

/** The image that a name meant when it was pulled last. */
export interface CachedImage {
  readonly digest: string
  /** Bytes of its layers, as the registry has them. */
  readonly bytes: number
  /** Folder with its files. Never changes, since guests read from it for as long as they run. */
  readonly folder: string
}

/** Images that were pulled to this machine, by their digest, and the names that they have. */
export interface ImageCache {
  /** Returns the image of a name, unless its files were removed. */
  find(reference: string): Promise<CachedImage | undefined>
  /** Records what a name means. */
  record(reference: string, image: Pick<CachedImage, 'digest' | 'bytes'>): Promise<CachedImage>
  /** Returns whether the files of a digest are here. */
  has(digest: string): Promise<boolean>
  /** Has the files of a digest written to a folder, which becomes theirs when it is complete. */
  add(digest: string, write: (folder: string) => Promise<void>): Promise<void>
  /** Removes what killed pulls of this node have left. Called before the first pull. */
  clean(): Promise<void>
}

/**
 * Opens the cache in a folder that the kubelets of several nodes share:
 *
 *     content/sha256-…/   files of an image
 *     names/….json        digest of a name, as {"reference", "digest", "bytes"}
 *     partial/NODE/       what is being written
 *
 * A file or folder gets its place by a rename, when it is complete and on the disk.
 */
export function openImageCache(root: string, node: string): ImageCache {
  const partial = join(root, 'partial', node)
  const folderOf = (digest: string): string => join(root, 'content', digest.replace(':', '-'))
  const nameOf = (reference: string): string => join(root, 'names', `${createHash('sha256').update(reference).digest('hex')}.json`)
  const has = async (digest: string): Promise<boolean> => (await lstat(folderOf(digest)).catch(() => undefined))?.isDirectory() === true
  const prepare = (): Promise<unknown> =>
    Promise.all([join(root, 'content'), join(root, 'names'), partial].map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })))

  return {
    has,
    async find(reference) {
      const found = parse(await readFile(nameOf(reference), 'utf8').catch(() => ''))
      if (found === undefined || found.reference !== reference || !(await has(found.digest))) return undefined
      return { digest: found.digest, bytes: found.bytes, folder: folderOf(found.digest) }
    },
    async record(reference, { digest, bytes }) {
      await prepare()
      const content = `${JSON.stringify({ reference, digest, bytes })}\n`
      await replaceFile(nameOf(reference), content, { mode: 0o600, through: partial })
      return { digest, bytes, folder: folderOf(digest) }
    },
    async add(digest, write) {
      await prepare()
      const folder = join(partial, randomUUID())
      await mkdir(folder, { mode: 0o755 })
      try {
        await write(folder)
        await settle(folder)
        await rename(folder, folderOf(digest))
      } catch (error) {
        await rm(folder, { recursive: true, force: true })
        // The kubelet of another node was faster.
        if (!isTaken(error) || !(await has(digest))) throw error
      }
    },
    clean: () => rm(partial, { recursive: true, force: true }),
  }
}

/**
 * Makes the files of a folder readable for all, as the guests of many users read them, and waits
 * until they are on the disk. Links are left alone.
 */
async function settle(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await settle(path)
    else if (entry.isFile()) await settleOne(path, constants.O_NOFOLLOW)
  }
  await settleOne(folder, constants.O_DIRECTORY | constants.O_NOFOLLOW)
}

async function settleOne(path: string, flags: number): Promise<void> {
  await using handle = await open(path, constants.O_RDONLY | flags)
  const found = await handle.stat()
  const isProgram = found.isDirectory() || (found.mode & 0o100) !== 0
  await handle.chmod(isProgram ? 0o755 : 0o644)
  await handle.sync()
}

function isTaken(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function parse(text: string): { readonly reference: string; readonly digest: string; readonly bytes: number } | undefined {
  try {
    const { reference, digest, bytes } = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (typeof reference !== 'string' || typeof digest !== 'string' || typeof bytes !== 'number') return undefined
    return /^sha(?:256|512):[0-9a-f]+$/.test(digest) ? { reference, digest, bytes } : undefined
  } catch {
    return undefined
  }
}
