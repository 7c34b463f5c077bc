import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { LayerEntry } from '#oci/image/layer-entry.ts'

/** Files cannot be taken from this machine. The message names what to install. */
export class MachineFileMissing extends Error {
  override readonly name = 'MachineFileMissing'
}

/**
 * Returns entries for files and folders of this machine, at the same paths. A symbolic link stays
 * one, and what it leads to is included. A path through a linked folder (`/lib` → `usr/lib`)
 * becomes the path behind it, since a layer must not replace the link by a folder. Owners,
 * set-user-ID bits and private modes are dropped. @throws MachineFileMissing
 */
export async function filesOfMachine(paths: readonly string[]): Promise<readonly LayerEntry[]> {
  const found = await Promise.all(paths.map((path) => filesAt(path)))
  const byPath = new Map(found.flat().map((entry) => [entry.path, entry]))
  return [...byPath.values()]
}

async function filesAt(path: string): Promise<LayerEntry[]> {
  const place = join(await realpath(dirname(path)).catch(missing(path)), basename(path))
  const state = await lstat(place).catch(missing(path))
  const entry = place.slice(1)
  if (state.isSymbolicLink()) {
    const target = await readlink(place)
    return [{ kind: 'link', path: entry, target }, ...(await filesAt(resolve(dirname(place), target)))]
  }
  if (state.isFile()) return [{ kind: 'copy', path: entry, from: place, mode: (state.mode & 0o111) === 0 ? 0o644 : 0o755 }]
  if (!state.isDirectory()) return []
  const below = await Promise.all((await readdir(place)).map((name) => filesAt(join(place, name))))
  return [{ kind: 'directory', path: entry, mode: 0o755 }, ...below.flat()]
}

function missing(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new MachineFileMissing(`Cannot take "${path}" into an image: it is not on this machine`, { cause })
  }
}
