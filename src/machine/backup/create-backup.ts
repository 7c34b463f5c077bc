import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { copyStore, prepareStoreCopy } from '#apiserver/storage/journal/store-backup.ts'
import { replaceFile } from '../home/write-file.ts'
import { readConfig } from '../home/config.ts'
import type { DataDirectory } from '../home/data-directory.ts'
import { findProcesses } from '../supervisor/processes.ts'
import type { Progress } from '../progress.ts'
import { BackupRefused, checksums, ENTRIES, packArchive, syncPath, type BackupManifest } from './backup-file.ts'

/** Options of `steadyvm backup`. */
export interface BackupOptions {
  readonly directory: DataDirectory
  /** Path of the backup. */
  readonly file: string
  /** Release that runs this. */
  readonly release: string
  /** Copies the disks of claims, too. The home must not run then. */
  readonly withDisks: boolean
  readonly now: () => number
  readonly progress: Progress
}

/**
 * Backs up what of a home cannot be derived: the objects as of one moment, the PKI and the
 * configuration, and with `withDisks` the disks. The API server may run meanwhile. The file gets
 * its name when it is whole and durable. @throws BackupRefused, StoreOpenError
 */
export async function createBackup(options: BackupOptions): Promise<BackupManifest> {
  const { directory, file, withDisks } = options
  const config = await readConfig(directory)
  if (config === undefined || !existsSync(directory.database)) {
    throw new BackupRefused(
      `There is nothing to back up in "${directory.root}": start a cluster with "steadyvm up", or choose another home with --data-dir`,
    )
  }
  if (existsSync(file)) throw new BackupRefused(`Cannot write the backup "${file}": the file exists; choose another name`)
  if (withDisks && findProcesses(directory.root).length > 0) {
    throw new BackupRefused('Cannot back up disks while guests may write to them: run "steadyvm down" first, or leave out --disks')
  }
  const staging = await mkdtemp(join(dirname(file), `.${basename(file)}.`)).catch((error: Error) => {
    throw new BackupRefused(`Cannot write the backup "${file}": ${error.message}`, { cause: error })
  })
  try {
    options.progress('copying the objects')
    copyStore(directory.database, join(staging, ENTRIES.database))
    const summary = prepareStoreCopy(join(staging, ENTRIES.database))
    await copyPki(directory.pki, join(staging, ENTRIES.pki))
    await writeFile(join(staging, ENTRIES.config), `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
    const manifest: BackupManifest = {
      format: 1,
      createdAt: new Date(options.now()).toISOString(),
      release: options.release,
      home: directory.root,
      ...summary,
      hasDisks: withDisks && existsSync(directory.volumes),
      files: await checksums(staging),
    }
    await replaceFile(join(staging, ENTRIES.manifest), `${JSON.stringify(manifest, null, 2)}\n`, 0o600)
    const archive = join(staging, 'archive.tar')
    await writeFile(archive, '', { mode: 0o600 })
    if (manifest.hasDisks) options.progress('copying the disks')
    await packArchive(archive, [
      [staging, [ENTRIES.manifest, ENTRIES.database, ENTRIES.config, ENTRIES.pki]],
      ...(manifest.hasDisks ? [[directory.root, [ENTRIES.volumes]] as const] : []),
    ])
    await syncPath(archive)
    await rename(archive, file)
    await syncPath(dirname(file))
    return manifest
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** Attempts to copy the PKI between two steps of a rotation, which takes milliseconds. */
const PKI_ATTEMPTS = 10

/** Copies the PKI as of one moment: a rotation may replace its files meanwhile. */
async function copyPki(from: string, to: string): Promise<void> {
  for (let attempt = 0; attempt < PKI_ATTEMPTS; attempt++) {
    await rm(to, { recursive: true, force: true })
    const before = await stateOf(from)
    // A file that is just being replaced vanishes, and so does its temporary twin.
    const copied = await cp(from, to, { recursive: true, dereference: true, filter: (path) => !/\.new-\d+$/.test(path) }).then(
      () => true,
      () => false,
    )
    if (copied && (await stateOf(from)) === before) return
  }
  throw new BackupRefused(`Cannot copy the PKI in "${from}": its files keep changing; wait until certificates are renewed, and try again`)
}

async function stateOf(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).toSorted()
  const states = await Promise.all(
    names.map((name) =>
      stat(join(folder, name), { bigint: true }).then(
        ({ ino, mtimeNs }) => `${name} ${ino} ${mtimeNs}`,
        () => name,
      ),
    ),
  )
  return states.join('\n')
}
