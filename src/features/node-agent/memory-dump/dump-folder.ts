import { constants, type Stats } from 'node:fs'
import { lstat, open, readdir, rename, rm, statfs, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { diskVolume } from '#features/vmi/index.ts'
import type { Ports } from '../guest/ports.ts'
import { attachedPlace } from '../volume-hotplug/attached-volume.ts'
import { onNode, type FilePlace } from '../volumes/file-place.ts'

/** The files of one dump. */
export interface DumpFiles {
  /** It is complete, and has its name. */
  readonly isComplete: boolean
  /** The file that QEMU writes to, or wrote to. */
  readonly partial?: { readonly bytes: number; readonly createdMs: number }
}

/** KubeVirt's ending of dumps. */
const ending = '.memory.dump'
/** Ending of a dump that QEMU has not completed. */
const partialEnding = `${ending}.partial`

/** Returns the name of a dump, as KubeVirt names it. */
export function dumpName(vmi: string, volume: string, nowMs: number): string {
  const time = new Date(nowMs)
    .toISOString()
    .replaceAll(/[-:]|\..*$/g, '')
    .replace('T', '-')
  return `${vmi}-${volume}-${time}${ending}`
}

/**
 * The folder of a claim, in the view of the pod that has attached it. Other pods may write to it:
 * no link in it is followed.
 */
export class DumpFolder {
  readonly #path: string
  readonly #owner: FilePlace['owner']

  constructor(path: string, owner: FilePlace['owner']) {
    this.#path = path
    this.#owner = owner
  }

  /** Looks for the files of a dump. */
  async look(name: string): Promise<DumpFiles> {
    const [complete, partial] = await Promise.all([name, partialOf(name)].map((file) => this.#stat(file)))
    const found = partial === undefined ? {} : { partial: { bytes: partial.size, createdMs: partial.birthtimeMs || partial.ctimeMs } }
    return { isComplete: complete !== undefined, ...found }
  }

  /**
   * Removes what is left of dumps that were interrupted, and the dump of before if there is no
   * space for both. Returns the bytes that are missing.
   */
  async makeRoom(bytes: number): Promise<number> {
    const names = await this.#names()
    for (const name of names) if (name.endsWith(partialEnding)) await this.#remove(name)
    const { bavail, bsize } = await statfs(this.#path)
    const missing = bytes - bavail * bsize
    if (missing <= 0) return 0
    const former = names.filter((name) => name.endsWith(ending))
    const sizes = await Promise.all(former.map(async (name) => ((await this.#stat(name))?.blocks ?? 0) * 512))
    const left = missing - sizes.reduce((sum, size) => sum + size, 0)
    if (left > 0) return left
    for (const name of former) await this.#remove(name)
    return 0
  }

  /** Reports whether there is no space left. */
  async isFull(): Promise<boolean> {
    const { bavail } = await statfs(this.#path)
    return bavail === 0
  }

  /** Creates the file that QEMU writes to. */
  async create(name: string): Promise<FileHandle> {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    const file = await open(join(this.#path, partialOf(name)), flags, 0o660)
    try {
      if (this.#owner !== undefined) await file.chown(this.#owner.uid, this.#owner.gid)
    } catch (error) {
      await file.close()
      throw error
    }
    return file
  }

  /** Gives a complete dump its name, and removes those of before. Can be repeated. */
  async keep(name: string): Promise<void> {
    const partial = join(this.#path, partialOf(name))
    if ((await this.#stat(partialOf(name))) !== undefined) {
      await synced(partial, constants.O_NOFOLLOW)
      await rename(partial, join(this.#path, name))
      await synced(this.#path, constants.O_DIRECTORY)
    }
    for (const other of await this.#names()) if (other !== name && other.endsWith(ending)) await this.#remove(other)
  }

  /** Removes a dump that is not complete. */
  discard(name: string): Promise<void> {
    return this.#remove(partialOf(name))
  }

  async #names(): Promise<string[]> {
    const entries = await readdir(this.#path, { withFileTypes: true })
    return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  }

  #remove(name: string): Promise<void> {
    return rm(join(this.#path, name), { force: true })
  }

  async #stat(name: string): Promise<Stats | undefined> {
    const found = await lstat(join(this.#path, name)).catch(() => undefined)
    return found?.isFile() === true ? found : undefined
  }
}

/** Opens the folder of a claim; undefined before the pod runs that attaches it. */
export async function openDumpFolder(
  ports: Pick<Ports, 'host' | 'isolation' | 'guests'>,
  vmi: VirtualMachineInstance,
  { volume, podUid }: { readonly volume: string; readonly podUid: string },
): Promise<DumpFolder | undefined> {
  const place = await attachedPlace(ports, vmi, ports.guests.pathsOf(podUid))
  if (place === undefined) return undefined
  const path = onNode(place, place.view.claim({ name: volume, podVolume: diskVolume(volume) }, false))
  // The pod may be one of another node, or have gone.
  const isThere = await readdir(path).then(
    () => true,
    () => false,
  )
  return isThere ? new DumpFolder(path, place.owner) : undefined
}

function partialOf(name: string): string {
  return name.slice(0, -ending.length) + partialEnding
}

async function synced(path: string, flag: number): Promise<void> {
  await using file = await open(path, constants.O_RDONLY | flag)
  await file.sync()
}
