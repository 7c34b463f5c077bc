import { join } from 'node:path'

/** The directories of one launcher pod on this node. */
export interface LauncherPaths {
  /** Directory of the launch record and what else only the node agent may write. */
  readonly recordDirectory: string
  /**
   * Directory that the launcher shares, as the node agent sees it: script, FIFO and process
   * identity.
   */
  readonly sharedDirectory: string
  /**
   * Short directory for unix sockets, whose paths must stay below 108 bytes, as the node agent sees
   * it.
   */
  readonly runDirectory: string
  /** The directories as QEMU sees them. */
  readonly view: LauncherView
}

/** Paths in the launcher pod, as its processes see them. */
export interface LauncherView {
  /**
   * True if the launcher has a mount namespace of its own, in which the node agent looks for these
   * paths.
   */
  readonly isContained: boolean
  /** Directory of the unix sockets. */
  readonly run: string
  /** The emptyDir `private`: disks, state, logs. */
  readonly private: string
  /** The claim that keeps firmware variables and TPM state across restarts. */
  readonly persistentState: string
  /** Root of an image volume; `podVolume` is the name of the pod's volume. */
  image(podVolume: string): string
  /** A claim: a folder, or the device of a raw block volume. */
  claim(volume: GuestVolume, isBlock: boolean): string
  /** The folder with the keys of a Secret or ConfigMap. */
  object(podVolume: string, kind: 'secret' | 'configMap'): string
  /** The folder of a hostDisk. */
  hostDisk(volume: GuestVolume): string
}

/** A volume of the guest, and the name of the pod's volume that holds it. */
export interface GuestVolume {
  readonly name: string
  readonly podVolume: string
}

/** Pod volume that the node agent hands over to a launcher with a mount namespace of its own. */
export const handoverVolume = 'handover'

/** User and group of QEMU in containers, as in KubeVirt. */
export const launcherUser = 107

/** Pod volume of the claim that keeps firmware variables and TPM state across restarts. */
export const persistentStateVolume = 'persistent-state'

/**
 * Mount points in the launcher's container. Without symbolic links in them, such as /var/run: the
 * node agent follows them from the node, where an absolute link leads elsewhere.
 */
export const mountPoints = {
  handover: '/run/steadyvm',
  private: '/run/kubevirt-private',
  image: (podVolume: string): string => `/run/kubevirt/images/${podVolume}`,
  claim: (volume: string): string => `/run/kubevirt-private/vmi-disks/${volume}`,
  device: (volume: string): string => `/dev/${volume}`,
  object: (podVolume: string): string => `/run/kubevirt-private/objects/${podVolume}`,
  persistentState: '/run/kubevirt-private/persistent-state',
} as const

/**
 * Paths of a pod whose processes have no mounts of their own: the kubelet's folders, which machine
 * mode documents. `runDirectory` is a short directory that all nodes of a machine may share.
 */
export function launcherPaths(podsDirectory: string, runDirectory: string, podUid: string): LauncherPaths {
  const volume = (plugin: string, name: string): string => join(podsDirectory, podUid, 'volumes', `kubernetes.io~${plugin}`, name)
  const sharedDirectory = volume('empty-dir', 'private')
  const run = runDirectoryOf(runDirectory, podUid)
  return {
    recordDirectory: sharedDirectory,
    sharedDirectory,
    runDirectory: run,
    view: {
      isContained: false,
      run,
      private: sharedDirectory,
      persistentState: volume('local-volume', persistentStateVolume),
      image: (podVolume) => volume('image', podVolume),
      claim: ({ podVolume }) => volume('local-volume', podVolume),
      object: (podVolume, kind) => volume(kind.toLowerCase(), podVolume),
      hostDisk: ({ podVolume }) => volume('host-path', podVolume),
    },
  }
}

/** Paths of a pod in a container: the mount points of its manifest. */
export function containedLauncherPaths(runDirectory: string, podUid: string): LauncherPaths {
  const recordDirectory = runDirectoryOf(runDirectory, podUid)
  // Only this part is mounted: QEMU must not be able to replace its own record.
  const sharedDirectory = join(recordDirectory, 'shared')
  return {
    recordDirectory,
    sharedDirectory,
    runDirectory: sharedDirectory,
    view: {
      isContained: true,
      run: mountPoints.handover,
      private: mountPoints.private,
      persistentState: mountPoints.persistentState,
      image: mountPoints.image,
      object: mountPoints.object,
      claim: ({ name }, isBlock) => (isBlock ? mountPoints.device(name) : mountPoints.claim(name)),
      hostDisk: ({ name }) => mountPoints.claim(name),
    },
  }
}

function runDirectoryOf(runDirectory: string, podUid: string): string {
  return join(runDirectory, podUid.replaceAll('-', '').slice(0, 12))
}
