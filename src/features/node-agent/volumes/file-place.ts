import { chown, lstat, mkdir, readlink, realpath } from 'node:fs/promises'
import { isAbsolute, join, normalize, sep } from 'node:path'
import type { LauncherView } from '#features/launcher/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Host } from '../node/host.ts'

/** Where the files of a guest are prepared. */
export interface FilePlace {
  readonly view: LauncherView
  readonly host: Host
  /** Socket of swtpm, as the launcher sees it. */
  readonly tpmSocket: string
  /**
   * Folder of the node that is the launcher's root directory. Empty for a launcher without one of
   * its own.
   */
  readonly root: string
  /** User of a launcher that does not run as the node agent's. */
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/** Returns the node agent's path of a path in the launcher's view. */
export function onNode({ root }: Pick<FilePlace, 'root'>, path: string): string {
  return root + path
}

/** Creates a directory that the launcher may write to. `path` is in the launcher's view. */
export async function makeDirectory(place: FilePlace, path: string): Promise<void> {
  const created = await mkdir(onNode(place, path), { recursive: true, mode: 0o700 })
  if (created !== undefined) await giveToLauncher(place, path)
}

/** Makes the launcher's user the owner of a file that the node agent created. */
export async function giveToLauncher({ root, owner }: FilePlace, path: string): Promise<void> {
  if (owner !== undefined) await chown(onNode({ root }, path), owner.uid, owner.gid)
}

/**
 * Resolves a path of an image. Links must not lead to files of the node. Both paths are in the
 * launcher's view. @throws UnsupportedGuest
 */
export async function resolveInside(place: FilePlace, root: string, path: string): Promise<string> {
  if (place.root !== '') return resolveByStep(place, root, path)
  const [realRoot, realPath] = await Promise.all([root, join(root, path)].map((each) => realpath(each).catch(() => undefined)))
  if (realRoot === undefined || realPath === undefined) throw noFile(path)
  if (!realPath.startsWith(realRoot + sep)) throw leadsOut(path)
  return realPath
}

const maxLinks = 40

/**
 * Resolves link by link: realpath() would follow the link of `/proc/<pid>/root` to the node's root
 * directory.
 */
async function resolveByStep(place: FilePlace, root: string, path: string): Promise<string> {
  let rest = normalize(join('/', path)).split(sep).slice(1)
  let done: readonly string[] = []
  for (let links = 0; rest.length > 0;) {
    const [part = '', ...others] = rest
    rest = others
    const here = onNode(place, join(root, ...done, part))
    const found = await lstat(here).catch(() => undefined)
    if (found === undefined) throw noFile(path)
    if (!found.isSymbolicLink()) {
      done = [...done, part]
      continue
    }
    const target = await readlink(here)
    if (isAbsolute(target) || ++links > maxLinks) throw leadsOut(path)
    const next = normalize(join(...done, target))
    if (next === '..' || next.startsWith(`..${sep}`)) throw leadsOut(path)
    rest = [...next.split(sep).filter((name) => name !== '.'), ...rest]
    done = []
  }
  return join(root, ...done)
}

function noFile(path: string): UnsupportedGuest {
  return new UnsupportedGuest(`there is no file "${path}" in the image`)
}

function leadsOut(path: string): UnsupportedGuest {
  return new UnsupportedGuest(`"${path}" leads out of the image`)
}
