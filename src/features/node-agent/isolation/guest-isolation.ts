import { open, realpath, stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { DeviceNode, LaunchIsolation, LauncherPaths, VisibleFile } from '#features/launcher/index.ts'
import { coveredDirectory } from '#runtime/isolation/covered-directory.ts'
import type { ProcessUser } from '#runtime/isolation/process-user.ts'
import type { GuestFiles } from '../domain/guest-files.ts'
import type { Host } from '../node/host.ts'
import { deviceAccess, nodeOf } from './device-access.ts'
import { allocateGuestUser, type UserFolders } from './guest-users.ts'

/** Separates the QEMUs of a machine without containers: each has a user, and sees its own files. */
export interface GuestIsolation {
  /** The home of the machine, or a directory above it, into which other users have no way. */
  readonly covered: string
  /** Returns the user of a VM. @throws UnsupportedGuest when there are no more */
  userOf(vmi: VirtualMachineInstance): ProcessUser
  /** Returns the isolation of a launch whose files are prepared. */
  isolate(vmi: VirtualMachineInstance, launch: PreparedLaunch): Promise<LaunchIsolation>
}

/** A launch that lacks its isolation. */
export interface PreparedLaunch {
  readonly paths: LauncherPaths
  readonly files: GuestFiles
  /** Log of the serial console, on this node. */
  readonly serialLog: string | undefined
}

/** Settings of {@link createGuestIsolation}. */
export interface GuestIsolationOptions extends UserFolders {
  /** Directory with the data of the machine: pods, sockets, images, volumes. */
  readonly home: string
  readonly host: Host
}

/** Isolates guests by the users of their VMs and by mount namespaces. */
export function createGuestIsolation({ home, host, ...folders }: GuestIsolationOptions): GuestIsolation {
  const covered = coveredDirectory(home)
  const known = new Map<string, number>()
  const userOf = ({ metadata: { namespace = '', name = '' } }: VirtualMachineInstance): ProcessUser => {
    const key = `${namespace}/${name}`
    const uid = known.getOrInsertComputed(key, () => allocateGuestUser(folders, key))
    return { uid, gid: uid, groups: [uid] }
  }
  return {
    covered,
    userOf,
    async isolate(vmi, { paths, files, serialLog }) {
      const user = userOf(vmi)
      if (serialLog !== undefined) await createLog(serialLog, user)
      const realHome = await realpath(home)
      const programs = [host.qemuBinary, ...(files.tpmCommand?.slice(0, 1) ?? [])].map((program) => dirname(dirname(program)))
      const wanted = outermost([...filesOf(files), ...(serialLog === undefined ? [] : [serialLog]), ...programs])
      const seen = await Promise.all(wanted.map((path) => lookAt(path, underHome(path, resolve(home), realHome))))
      const run = underHome(paths.runDirectory, resolve(home), realHome)
      // A card may be plugged later, into a guest that has none.
      const needed = ['/dev/net/tun', ...(host.accelerator === 'kvm' ? ['/dev/kvm'] : [])]
      const access = await Promise.all(needed.map(deviceAccess))
      const isCovered = ({ path }: { readonly path: string }): boolean => path.startsWith(covered + sep)
      return {
        user: { ...user, groups: [...user.groups, ...access.flatMap(({ group }) => group ?? [])] },
        covered,
        // The directory of the sockets is made when the launch is recorded.
        files: [{ path: run, source: run, isDirectory: true } as const, ...seen.filter((found) => 'source' in found)].filter(isCovered),
        devices: [...seen.filter((found) => 'major' in found).filter(isCovered), ...access.flatMap(({ node }) => node ?? [])],
      }
    },
  }
}

function filesOf({ volumes, kernel, firmware, folders = [] }: GuestFiles): string[] {
  return [
    ...folders,
    ...[...volumes.values()].flatMap(({ path, image }) => [path, ...(image === undefined ? [] : [image])]),
    ...Object.values(kernel ?? {}),
    ...Object.values(firmware ?? {}),
  ]
}

/** Drops paths inside of others. */
function outermost(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(other + sep)))
}

/** Returns the path without the links that lead to the home. */
function underHome(path: string, home: string, realHome: string): string {
  return path.startsWith(home + sep) ? realHome + path.slice(home.length) : path
}

/** Finds what QEMU opens as `path`. A link may lead out of the directory that QEMU sees. */
async function lookAt(from: string, path: string): Promise<VisibleFile | DeviceNode> {
  const [source, found] = await Promise.all([realpath(from), stat(from)])
  return found.isBlockDevice() ? nodeOf(path, found.rdev, 'block') : { path, source, isDirectory: found.isDirectory() }
}

/** Creates the log that QEMU appends to, in a folder where it creates nothing. */
async function createLog(path: string, { uid, gid }: ProcessUser): Promise<void> {
  await using file = await open(path, 'a', 0o600)
  await file.chown(uid, gid)
}
