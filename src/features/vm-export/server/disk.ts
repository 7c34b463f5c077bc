import { constants } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { openBeneath } from './open-beneath.ts'

/** File of a disk in a file system, as in KubeVirt. */
const imageName = 'disk.img'
const sectorBytes = 512

/** Content that is open for reading. */
export interface OpenContent extends AsyncDisposable {
  readonly file: FileHandle
  readonly bytes: number
  /** Changes with the content. Undefined for devices, which do not tell. */
  readonly etag?: string
}

/** There is no disk in the volume. */
export class NoDisk extends Error {
  override readonly name = 'NoDisk'
}

/**
 * Opens the disk of a volume: `disk.img` of a folder, or a block device, which machine mode shows
 * as a file. @throws NoDisk, NotInVolume
 */
export async function openDisk(path: string): Promise<OpenContent> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const found = await file.stat()
  if (found.isBlockDevice()) return opened(file, await deviceBytes(found.rdev))
  if (found.isFile()) return openedFile(file)
  await file.close()
  if (!found.isDirectory()) throw new NoDisk(`"${path}" is neither a folder, nor a file, nor a block device`)
  return openedFile(await openBeneath(path, [imageName]))
}

/** Describes an open file. @throws NoDisk for a folder */
export async function openedFile(file: FileHandle): Promise<OpenContent> {
  const found = await file.stat({ bigint: true })
  const { size, mtimeNs, ino } = found
  if (found.isFile()) return opened(file, Number(size), `"${ino.toString(36)}-${mtimeNs.toString(36)}-${size.toString(36)}"`)
  await file.close()
  throw new NoDisk('a folder has no content')
}

function opened(file: FileHandle, bytes: number, etag?: string): OpenContent {
  return { file, bytes, ...(etag === undefined ? {} : { etag }), [Symbol.asyncDispose]: () => file.close() }
}

/** Reads the size of a device, which stat() does not tell. */
async function deviceBytes(device: number): Promise<number> {
  const bits = BigInt(device)
  const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xffff_f000n)
  const minor = (bits & 0xffn) | ((bits >> 12n) & 0xffff_ff00n)
  return Number(await readFile(`/sys/dev/block/${major}:${minor}/size`, 'utf8')) * sectorBytes
}
