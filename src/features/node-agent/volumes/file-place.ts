import { constants } from 'node:fs'
import { lchown, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
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
  /**
   * See {@link GuestIsolation.covered}. Undefined: volumes are the launcher's already, or root's.
   */
  readonly covered?: string
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

/**
 * Makes the launcher's user the owner of a file that the node agent created. Follows no link: in a
 * claim, pods of the namespace may have put one in the place of the file.
 */
export async function giveToLauncher({ root, owner }: FilePlace, path: string): Promise<void> {
  if (owner !== undefined) await lchown(onNode({ root }, path), owner.uid, owner.gid)
}

/** Makes the launcher's user the owner of a folder that earlier launchers of the VM have filled. */
export async function giveFolderToLauncher(place: FilePlace, path: string): Promise<void> {
  if (place.owner === undefined) return
  await giveToLauncher(place, path)
  for (const name of await readdir(onNode(place, path))) await giveToLauncher(place, join(path, name))
}

/** Who uses an image: this VM alone, several that write to it, or several that read it. */
export type ImageUse = 'own' | 'together' | 'read'

/**
 * Admits the user of a VM to an image that was there before, by its owner; the group stays that of
 * the namespace's pods. Several VMs are admitted by the mode: no other user of the machine has a
 * way into the covered directory, and each QEMU sees its own files there. `path` is on the node.
 * Does nothing where launchers have no user of the VM. @throws UnsupportedGuest
 */
export async function admitToImage({ owner, covered }: FilePlace, path: string, use: ImageUse): Promise<void> {
  if (owner === undefined || covered === undefined) return
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const { mode, uid, gid, nlink } = await file.stat()
  const isHidden = (await realpath(dirname(path))).startsWith(covered + sep)
  if (use !== 'read') {
    // Another pod with the claim may have linked a file of the machine.
    if (nlink > 1) throw new UnsupportedGuest(`the image "${path}" must have one name, and has ${nlink} hard links`)
    if (uid !== owner.uid) await file.chown(owner.uid, gid)
  }
  const all = use === 'read' ? 0o004 : use === 'together' && isHidden ? 0o606 : 0o600
  if ((mode & all) === all) return
  if (use === 'read' && !isHidden) throw new UnsupportedGuest(`the image "${path}" must be readable by all users of the machine`)
  await file.chmod((mode & 0o777) | all)
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
