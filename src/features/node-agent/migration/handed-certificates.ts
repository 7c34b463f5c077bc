import { copyFile, lchown, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LauncherPaths, LaunchRecord } from '#features/launcher/index.ts'
import type { MigrationCertificates } from '../guest/ports.ts'

const folder = 'tls'
/** File names that QEMU expects. */
const files = ['ca-cert.pem', 'server-cert.pem', 'server-key.pem', 'client-cert.pem', 'client-key.pem'] as const

/** A launcher and what it was told to start. */
interface Launched {
  readonly paths: LauncherPaths
  readonly record: Pick<LaunchRecord, 'isolation'>
}

/** Returns the certificates under the path that QEMU sees. Pure. */
export function certificatesInView(launched: Launched, certificates: MigrationCertificates | undefined): MigrationCertificates | undefined {
  if (certificates === undefined || seesAll(launched)) return certificates
  return { ...certificates, directory: join(launched.paths.view.run, folder) }
}

/** Reports whether QEMU sees the node agent's folders. */
function seesAll({ paths, record }: Launched): boolean {
  return !paths.view.isContained && record.isolation === undefined
}

/**
 * Copies the certificates into the directory of QEMU's sockets, for as long as its guest migrates.
 * Files that are newer than the node agent's stay. Does nothing for a QEMU that sees the node
 * agent's folders.
 */
export async function handOverCertificates(launched: Launched, certificates: MigrationCertificates | undefined): Promise<void> {
  if (certificates === undefined || seesAll(launched)) return
  const { paths, record } = launched
  const target = join(paths.runDirectory, folder)
  const [mine, handed] = await Promise.all([join(certificates.directory, 'client-key.pem'), join(target, 'client-key.pem')].map(modifiedMs))
  if (handed !== undefined && handed >= (mine ?? 0)) return
  const temporary = `${target}.new`
  for (const old of [temporary, target]) await rm(old, { recursive: true, force: true })
  await mkdir(temporary, { mode: 0o700 })
  const { uid, gid } = record.isolation?.user ?? (await stat(paths.sharedDirectory))
  for (const name of files) {
    await copyFile(join(certificates.directory, name), join(temporary, name))
    await lchown(join(temporary, name), uid, gid)
  }
  await lchown(temporary, uid, gid)
  // A folder that was handed over is complete.
  await rename(temporary, target)
}

/** Removes the certificates when the guest does not migrate any more. */
export async function withdrawCertificates({ runDirectory }: LauncherPaths): Promise<void> {
  await rm(join(runDirectory, folder), { recursive: true, force: true })
}

async function modifiedMs(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  )
}
