import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Entries of a backup, which is a tar archive. */
export const ENTRIES = {
  manifest: 'backup.json',
  database: 'state.db',
  config: 'config.json',
  pki: 'pki',
  /** Only with `--disks`. */
  volumes: 'volumes',
} as const

/** `backup.json`: what a backup holds. */
export interface BackupManifest {
  /** Version of this layout. A restore refuses a newer one. */
  readonly format: 1
  /** RFC 3339. */
  readonly createdAt: string
  /** Release that made the backup. */
  readonly release: string
  /** Path of the home: PersistentVolumes name it. */
  readonly home: string
  readonly revision: number
  readonly objects: number
  readonly persistentVolumes: number
  readonly hasDisks: boolean
  /** SHA-256 of each file, by path, without the disks. */
  readonly files: Readonly<Record<string, string>>
}

/** A backup cannot be made or used. The message says why and what to do. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused'
}

/**
 * Packs entries of a folder. Disks are sparse, and stay so. @throws BackupRefused with what tar
 * printed
 */
export async function packArchive(file: string, from: readonly (readonly [folder: string, entries: readonly string[]])[]): Promise<void> {
  const sources = from.flatMap(([folder, entries]) => ['-C', folder, ...entries])
  await runTar(['--create', '--sparse', '--file', file, ...sources], `Cannot write the backup "${file}"`)
}

/** Unpacks an archive; tar finds out by itself if it was compressed. @throws BackupRefused */
export async function unpackArchive(file: string, folder: string): Promise<void> {
  await runTar(['--extract', '--sparse', '--no-same-owner', '--file', file, '-C', folder], `Cannot read the backup "${file}"`)
}

async function runTar(args: readonly string[], problem: string): Promise<void> {
  try {
    await promisify(execFile)('tar', args, { env: { ...process.env, LC_ALL: 'C' } })
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string }
    if (code === 'ENOENT') throw new BackupRefused(`${problem}: "tar" is not installed; install it, for example with "apt-get install tar"`)
    throw new BackupRefused(`${problem}: ${(stderr ?? '').trim().split('\n')[0] ?? String(error)}`, { cause: error })
  }
}

/**
 * SHA-256 of every file below a folder, by its path; `volumes` is left out. @throws BackupRefused
 * for a link or device
 */
export async function checksums(folder: string): Promise<Record<string, string>> {
  const paths = await listFiles(folder, folder)
  const sums = await Promise.all(
    paths.filter((path) => path !== ENTRIES.manifest).map(async (path) => [path, await checksumOf(join(folder, path))] as const),
  )
  return Object.fromEntries(sums)
}

async function listFiles(root: string, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const name of (await readdir(folder)).toSorted()) {
    const path = join(folder, name)
    if (relative(root, path) === ENTRIES.volumes) continue
    const state = await lstat(path)
    if (state.isDirectory()) found.push(...(await listFiles(root, path)))
    else if (state.isFile()) found.push(relative(root, path))
    else throw new BackupRefused(`Cannot use "${path}": a backup holds files and folders, and no links or devices`)
  }
  return found
}

async function checksumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Makes files and folders below a path durable, deepest first. */
export async function syncTree(path: string): Promise<void> {
  const state = await lstat(path)
  if (state.isDirectory()) for (const name of await readdir(path)) await syncTree(join(path, name))
  if (state.isDirectory() || state.isFile()) await syncPath(path)
}

/** Makes one file, or the entries of one folder, durable. */
export async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
