import { basename, join } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import type { Domain } from '#qemu/index.ts'
import type { GuestFiles } from '../domain/guest-files.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import type { FilePlace } from '../volumes/file-place.ts'

/**
 * Returns the place in which the files of a launch are prepared. @throws LauncherNotReady,
 * UnsupportedGuest
 */
export async function launchPlace(
  { host, isolation }: Pick<Ports, 'host' | 'isolation'>,
  guest: Guest,
  vmi: VirtualMachineInstance,
): Promise<FilePlace> {
  const place = await guest.filePlace(host)
  return isolation === undefined ? place : { ...place, owner: isolation.userOf(vmi), covered: isolation.covered }
}

/** A launch, complete but for its isolation. */
interface PreparedGuest {
  readonly guest: Pick<Guest, 'paths'>
  readonly vmi: VirtualMachineInstance
  readonly files: GuestFiles
  /** Its paths may be those of the source of a migration. */
  readonly domain: Domain
}

/** Returns the isolation of a launch, for its record. Empty without isolation. */
export async function isolationOf(
  { isolation }: Pick<Ports, 'isolation'>,
  { guest: { paths }, vmi, files, domain: { serial } }: PreparedGuest,
): Promise<Pick<LaunchRecord, 'isolation'>> {
  if (isolation === undefined) return {}
  const serialLog = serial === undefined ? undefined : join(paths.view.private, basename(serial.logPath))
  return { isolation: await isolation.isolate(vmi, { paths, files, serialLog }) }
}
