import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { prepareStoreCopy } from '#apiserver/storage/journal/store-backup.ts'
import type { DataDirectory } from '../home/data-directory.ts'
import { findProcesses } from '../supervisor/processes.ts'
import type { Progress } from '../progress.ts'
import { replaceFile } from '../home/write-file.ts'
import { BackupRefused, checksums, ENTRIES, syncPath, syncTree, unpackArchive, type BackupManifest } from './backup-file.ts'

/** Options of `steadyvm restore`. The caller holds the lock of the home. */
export interface RestoreOptions {
  readonly directory: DataDirectory
  readonly file: string
  readonly now: () => number
  readonly progress: Progress
  /** Renames a file. Tests cut a restore here. */
  readonly move?: typeof rename
}

/** Outcome of `steadyvm restore`. */
export interface RestoreResult {
  readonly manifest: BackupManifest
  /** Folder with the data that was replaced; undefined when there was none. */
  readonly replaced: string | undefined
}

/**
 * Entries of a home that a restore replaces, as far as the backup has them. The kubelets' records
 * of pods belong to the objects that are replaced, and no backup has them: they are put aside.
 */
const ITEMS = ['apiserver', 'pki', 'config.json', 'volumes', 'nodes'] as const

const STAGING_PREFIX = 'restoring-'

/** `restore.json`: a restore that is being carried out. Both folders are entries of the home. */
interface PendingRestore {
  readonly staging: string
  readonly aside: string
}

/**
 * Replaces the data of a home that does not run by that of a backup. The backup is unpacked next to
 * the data and checked before anything is touched; from then on a restore that is interrupted is
 * completed by the next `restore` or `up`. @throws BackupRefused, StoreOpenError
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { directory, file, now, progress } = options
  if (findProcesses(directory.root).length > 0) {
    throw new BackupRefused(`Cannot restore into "${directory.root}" while it runs: run "steadyvm down" first`)
  }
  await completeRestore(directory)
  for (const name of await readdir(directory.root)) {
    if (name.startsWith(STAGING_PREFIX)) await rm(join(directory.root, name), { recursive: true, force: true })
  }
  const staging = await mkdtemp(join(directory.root, STAGING_PREFIX))
  try {
    progress('checking the backup')
    await unpackArchive(file, staging)
    const manifest = await checkBackup(file, staging, directory)
    await arrange(staging)
    const pending: PendingRestore = {
      staging: staging.slice(directory.root.length + 1),
      aside: `replaced-${new Date(now()).toISOString().replaceAll(':', '-')}`,
    }
    const hadData = ITEMS.some((item) => existsSync(join(directory.root, item)))
    progress('replacing the data')
    await mkdir(join(directory.root, pending.aside), { mode: 0o700 })
    await syncTree(staging)
    await replaceFile(pendingFile(directory), `${JSON.stringify(pending)}\n`, 0o600)
    await syncPath(directory.root)
    await completeRestore(directory, options.move)
    return { manifest, replaced: hadData ? join(directory.root, pending.aside) : undefined }
  } finally {
    // Before the restore is recorded this is all there is of it; afterwards it is empty.
    if (!existsSync(pendingFile(directory))) await rm(staging, { recursive: true, force: true })
  }
}

/**
 * Carries out a restore that was recorded, from any point at which it was interrupted. Does nothing
 * when there is none. The caller holds the lock of the home.
 */
export async function completeRestore(directory: DataDirectory, move: typeof rename = rename): Promise<void> {
  const record = pendingFile(directory)
  if (!existsSync(record)) return
  const pending = JSON.parse(await readFile(record, 'utf8')) as PendingRestore
  const path = (...parts: readonly string[]): string => join(directory.root, ...parts)
  for (const item of ITEMS) {
    const [fresh, current, aside] = [path(pending.staging, item), path(item), path(pending.aside, item)]
    // The fresh item leaves the staging folder last: as long as it is there, the item is not done.
    const isIncluded = existsSync(fresh)
    if (!isIncluded && (item !== 'nodes' || existsSync(aside))) continue
    if (existsSync(current) && !existsSync(aside)) await move(current, aside)
    if (isIncluded) await move(fresh, current)
  }
  for (const folder of [directory.root, path(pending.aside), path(pending.staging)]) if (existsSync(folder)) await syncPath(folder)
  await rm(record)
  await syncPath(directory.root)
  await rm(path(pending.staging), { recursive: true, force: true })
  // Only an empty folder is removed: then there was nothing to replace.
  await rmdir(path(pending.aside)).catch(() => {})
}

function pendingFile(directory: DataDirectory): string {
  return join(directory.root, 'restore.json')
}

async function checkBackup(file: string, staging: string, directory: DataDirectory): Promise<BackupManifest> {
  const manifest = await readManifest(file, join(staging, ENTRIES.manifest))
  const found = await checksums(staging)
  const damaged = Object.keys({ ...manifest.files, ...found }).filter((path) => manifest.files[path] !== found[path])
  if (damaged.length > 0) throw new BackupRefused(`The backup "${file}" is damaged (${damaged.join(', ')}): use another one`)
  if (manifest.persistentVolumes > 0 && manifest.home !== directory.root) {
    throw new BackupRefused(
      `The backup "${file}" has ${manifest.persistentVolumes} PersistentVolumes below "${manifest.home}": restore it with --data-dir ${manifest.home}`,
    )
  }
  prepareStoreCopy(join(staging, ENTRIES.database))
  return manifest
}

async function readManifest(file: string, path: string): Promise<BackupManifest> {
  let manifest: Partial<BackupManifest>
  try {
    manifest = JSON.parse(await readFile(path, 'utf8')) as Partial<BackupManifest>
  } catch (error) {
    throw new BackupRefused(`"${file}" is no backup of steadyvm: it has no readable ${ENTRIES.manifest}`, { cause: error })
  }
  if (manifest.format !== 1 || manifest.files === undefined || manifest.files[ENTRIES.database] === undefined) {
    throw new BackupRefused(
      `Cannot restore "${file}": its format is ${String(manifest.format)}, and this release (${String(manifest.release)} made it) knows 1`,
    )
  }
  return manifest as BackupManifest
}

/** Gives the unpacked entries the layout of a home. */
async function arrange(staging: string): Promise<void> {
  await rm(join(staging, ENTRIES.manifest))
  await mkdir(join(staging, 'apiserver'), { mode: 0o700 })
  await rename(join(staging, ENTRIES.database), join(staging, 'apiserver', 'state.db'))
}
