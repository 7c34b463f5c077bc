import { resolve } from 'node:path'
import { createBackup } from '#machine/backup/create-backup.ts'
import { restoreBackup } from '#machine/backup/restore-backup.ts'
import { lockHome } from '#machine/home/home-lock.ts'
import { thisRelease } from '#machine/release/release.ts'
import { makeDirectory } from '#runtime/process/make-directory.ts'
import { homeDirectory } from '#cli/cluster/home.ts'
import type { CliContext } from '#cli/context.ts'
import { formatDuration } from '#cli/render/terminal.ts'

/** Backs up the objects, the PKI and the configuration of a home, and on request its disks. */
export async function backup(this: CliContext, flags: { dataDir?: string; disks: boolean }, path: string): Promise<void> {
  const directory = homeDirectory(this, flags.dataDir)
  const file = resolve(path)
  const started = this.now()
  const { stderr, stdout } = this.process
  const manifest = await createBackup({
    directory,
    file,
    release: thisRelease().version,
    withDisks: flags.disks,
    now: this.now,
    progress: (message) => stderr.write(`${message}\n`),
  })
  stdout.write(
    `Backed up ${manifest.objects} objects at resourceVersion ${manifest.revision}${manifest.hasDisks ? ' and the disks' : ''} to "${file}" in ${formatDuration(this.now() - started)}.\n`,
  )
  if (manifest.persistentVolumes > 0 && !manifest.hasDisks) {
    stderr.write(
      `The disks of ${manifest.persistentVolumes} PersistentVolumes are not in it: "steadyvm down" and --disks back them up, too\n`,
    )
  }
}

/** Milliseconds to wait for another command that holds the lock of the home. */
const LOCK_TIMEOUT_MS = 10_000

/** Replaces the data of a stopped home with that of a backup. */
export async function restore(this: CliContext, flags: { dataDir?: string }, path: string): Promise<void> {
  const directory = homeDirectory(this, flags.dataDir)
  const file = resolve(path)
  const { stderr, stdout } = this.process
  await makeDirectory(directory.root, 0o700)
  const lock = { purpose: 'steadyvm restore', timeoutMs: LOCK_TIMEOUT_MS, now: this.now, sleep: this.sleep }
  using _lock = await lockHome(directory.root, lock)
  const { manifest, replaced } = await restoreBackup({
    directory,
    file,
    now: this.now,
    progress: (message) => stderr.write(`${message}\n`),
  })
  const disks = manifest.hasDisks ? ' and the disks' : ''
  stdout.write(
    `Restored ${manifest.objects} objects${disks} of ${manifest.createdAt} (release ${manifest.release}): start them with "steadyvm up".\n`,
  )
  if (replaced !== undefined) stdout.write(`What was there before is in "${replaced}".\n`)
}
