import { chown, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LauncherPaths } from '#features/launcher/index.ts'
import type { MigrationCertificates } from '../guest/ports.ts'

const folder = 'tls'
/** File names that QEMU expects. */
const files = ['ca-cert.pem', 'server-cert.pem', 'server-key.pem', 'client-cert.pem', 'client-key.pem'] as const

/** Returns the certificates under the path that QEMU sees. Pure. */
export function certificatesInView(
  { view }: Pick<LauncherPaths, 'view'>,
  certificates: MigrationCertificates | undefined,
): MigrationCertificates | undefined {
  if (certificates === undefined || !view.isContained) return certificates
  return { ...certificates, directory: join(view.run, folder) }
}

/**
 * Copies the certificates into the directory that a launcher in a container shares, for as long as
 * its guest migrates. Files that are newer than the node agent's stay. Does nothing for a launcher
 * that sees the node agent's folders.
 */
export async function handOverCertificates(paths: LauncherPaths, certificates: MigrationCertificates | undefined): Promise<void> {
  if (certificates === undefined || !paths.view.isContained) return
  const target = join(paths.sharedDirectory, folder)
  const [mine, handed] = await Promise.all([join(certificates.directory, 'client-key.pem'), join(target, 'client-key.pem')].map(modifiedMs))
  if (handed !== undefined && handed >= (mine ?? 0)) return
  const temporary = `${target}.new`
  for (const old of [temporary, target]) await rm(old, { recursive: true, force: true })
  await mkdir(temporary, { mode: 0o700 })
  const { uid, gid } = await stat(paths.sharedDirectory)
  for (const name of files) {
    await copyFile(join(certificates.directory, name), join(temporary, name))
    await chown(join(temporary, name), uid, gid)
  }
  await chown(temporary, uid, gid)
  // A folder that was handed over is complete.
  await rename(temporary, target)
}

/** Removes the certificates when the guest does not migrate any more. */
export async function withdrawCertificates({ sharedDirectory, view }: LauncherPaths): Promise<void> {
  if (view.isContained) await rm(join(sharedDirectory, folder), { recursive: true, force: true })
}

async function modifiedMs(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  )
}
