import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes, TaskFailed } from '../exit-codes.ts'
import { mountedAt } from './mounted-at.ts'

/** File of a disk in a file system, as in KubeVirt. */
const diskName = 'disk.img'

/**
 * Returns the path of the disk of a claim that is mounted: its file, or the device itself for a
 * claim with `volumeMode: Block`. @throws TaskFailed
 */
export async function openClaim(environment: Readonly<Record<string, string | undefined>>, mountPath: string): Promise<string> {
  const place = mountedAt(environment, mountPath)
  const volume = await stat(place).catch(() => undefined)
  if (volume === undefined) throw missing(`no volume is mounted at "${place}": mount the claim there, or give it as a device`)
  // Machine mode shows a device as a file.
  if (!volume.isDirectory()) return place
  const file = join(place, diskName)
  const disk = await stat(file).catch(() => undefined)
  if (disk?.isFile() === true) return file
  throw missing(`there is no "${diskName}" in the claim at "${place}": fill it first, for example by a DataVolume`)
}

function missing(why: string): TaskFailed {
  return new TaskFailed(exitCodes.preconditionFailed, `Cannot open the disk of the claim: ${why}`)
}
