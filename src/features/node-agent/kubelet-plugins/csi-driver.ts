import { execFile } from 'node:child_process'
import { chown, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { handoverDriver } from '#api/steadyvm/v1alpha1/handover-driver.ts'
import { containedLauncherPaths, readLaunchRecord } from '#features/launcher/index.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { aborted } from '#runtime/clock/abort.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { InvalidArgument, serveOnSocket, type Methods } from './grpc-socket.ts'

/** Options of {@link createHandoverDriver}. */
export interface HandoverDriverOptions {
  readonly nodeName: string
  /** Version that the kubelet shows. */
  readonly version: string
  /** Directory of the guests: see {@link containedLauncherPaths}. */
  readonly runDirectory: string
  /** Directory of the driver's socket, which the kubelet reaches at the same path. */
  readonly pluginDirectory: string
  /** The kubelet's directory for plugins that register themselves. */
  readonly registryDirectory: string
  /** User and group of launchers. */
  readonly launcherUser: number
  readonly clock: Clock
  readonly log: Logger
  /** Default: mount(8) and umount(8). */
  readonly mounts?: Mounts
}

/** Bind mounts of the node. */
export interface Mounts {
  bind(source: string, target: string): Promise<void>
  /** Does nothing when the target is not mounted. */
  unmount(target: string): Promise<void>
}

/**
 * Hands a directory over to each launcher pod: a CSI driver of ephemeral volumes, to which the
 * kubelet names the pod. Nothing is assumed about the folders of the kubelet, and pods need no
 * hostPath. A pod that starts while the node agent is down waits for its volume.
 */
export function createHandoverDriver(options: HandoverDriverOptions): Runnable {
  return {
    async run(signal) {
      const { pluginDirectory, registryDirectory, runDirectory } = options
      const endpoint = join(pluginDirectory, 'csi.sock')
      for (const directory of [pluginDirectory, volumesOf(runDirectory)]) await mkdir(directory, { recursive: true, mode: 0o700 })
      await using _driver = await serveOnSocket(endpoint, driverMethods(options))
      while (!signal.aborted)
        await offerRegistration(options, { socket: join(registryDirectory, `${handoverDriver}-reg.sock`), endpoint }, signal)
    },
  }
}

/**
 * Serves the registration until it is to be served anew. The kubelet registers a driver when its
 * socket appears, and not again after a failure, as while the API server does not answer.
 */
async function offerRegistration(
  options: HandoverDriverOptions,
  { socket, endpoint }: { readonly socket: string; readonly endpoint: string },
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = options
  const refused = new AbortController()
  await using _registration = await serveOnSocket(socket, registrationMethods({ log, endpoint, refuse: () => refused.abort() }))
  await aborted(AbortSignal.any([signal, refused.signal]))
  if (!signal.aborted) await clock.sleep(registerAgainMs, signal).catch(() => {})
}

/** Milliseconds between registrations that fail. */
const registerAgainMs = 2_000

function registrationMethods({
  log,
  endpoint,
  refuse,
}: Pick<HandoverDriverOptions, 'log'> & { readonly endpoint: string; readonly refuse: () => void }): Methods {
  return {
    '/pluginregistration.Registration/GetInfo': {
      request: 'Empty',
      response: 'PluginInfo',
      handle: async () => ({ type: 'CSIPlugin', name: handoverDriver, endpoint, supportedVersions: ['1.0.0'] }),
    },
    '/pluginregistration.Registration/NotifyRegistrationStatus': {
      request: 'RegistrationStatus',
      response: 'Empty',
      handle: async ({ pluginRegistered, error }) => {
        if (pluginRegistered === true) log.info({ driver: handoverDriver }, 'The kubelet has registered the driver')
        else {
          const consequence = 'guests neither start nor end on this node until it has registered it, trying again'
          log.error({ driver: handoverDriver, error }, `The kubelet does not register the driver: ${consequence}`)
          refuse()
        }
        return {}
      },
    },
  }
}

function driverMethods(options: HandoverDriverOptions): Methods {
  const { nodeName, version } = options
  return {
    '/csi.v1.Identity/GetPluginInfo': {
      request: 'Empty',
      response: 'GetPluginInfoResponse',
      handle: async () => ({ name: handoverDriver, vendorVersion: version }),
    },
    '/csi.v1.Identity/GetPluginCapabilities': { request: 'Empty', response: 'Empty', handle: async () => ({}) },
    '/csi.v1.Identity/Probe': { request: 'Empty', response: 'ProbeResponse', handle: async () => ({ ready: { value: true } }) },
    '/csi.v1.Node/NodeGetInfo': { request: 'Empty', response: 'NodeGetInfoResponse', handle: async () => ({ nodeId: nodeName }) },
    '/csi.v1.Node/NodeGetCapabilities': { request: 'Empty', response: 'Empty', handle: async () => ({}) },
    '/csi.v1.Node/NodePublishVolume': {
      request: 'NodePublishVolumeRequest',
      response: 'Empty',
      handle: async (request) => {
        await publish(options, request as unknown as PublishRequest)
        return {}
      },
    },
    '/csi.v1.Node/NodeUnpublishVolume': {
      request: 'NodeUnpublishVolumeRequest',
      response: 'Empty',
      handle: async (request) => {
        await unpublish(options, request as unknown as UnpublishRequest)
        return {}
      },
    },
  }
}

interface PublishRequest {
  readonly volumeId: string
  readonly targetPath: string
  readonly volumeContext: Readonly<Record<string, string>>
}

type UnpublishRequest = Pick<PublishRequest, 'volumeId' | 'targetPath'>

/**
 * Creates the pod's directory and mounts its shared part. The kubelet repeats it until it succeeds.
 */
async function publish(options: HandoverDriverOptions, { volumeId, targetPath, volumeContext }: PublishRequest): Promise<void> {
  const { runDirectory, launcherUser, mounts = systemMounts } = options
  const podUid = volumeContext['csi.storage.k8s.io/pod.uid'] ?? ''
  if (volumeContext['csi.storage.k8s.io/ephemeral'] !== 'true' || podUid === '')
    throw new InvalidArgument(`volumes of ${handoverDriver} are ephemeral: a launcher pod names them in its spec`)
  const { recordDirectory, sharedDirectory } = containedLauncherPaths(runDirectory, podUid)
  await mkdir(recordDirectory, { recursive: true, mode: 0o700 })
  await mkdir(sharedDirectory, { recursive: true, mode: 0o700 })
  await chown(sharedDirectory, launcherUser, launcherUser)
  // The request to unmount does not name the pod.
  await writeFile(volumeFile(runDirectory, volumeId), podUid)
  await mkdir(targetPath, { recursive: true, mode: 0o750 })
  await mounts.unmount(targetPath)
  await mounts.bind(sharedDirectory, targetPath)
}

/**
 * Unmounts a volume. The launch record stays until the guest's end is reported; a launcher that
 * never launched leaves nothing.
 */
async function unpublish(options: HandoverDriverOptions, { volumeId, targetPath }: UnpublishRequest): Promise<void> {
  const { runDirectory, mounts = systemMounts } = options
  await mounts.unmount(targetPath)
  await rmdir(targetPath).catch(ignoreMissing)
  const file = volumeFile(runDirectory, volumeId)
  const podUid = await readFile(file, 'utf8').catch(() => undefined)
  if (podUid === undefined) return
  const paths = containedLauncherPaths(runDirectory, podUid)
  if ((await readLaunchRecord(paths)) === undefined) await rm(paths.recordDirectory, { recursive: true, force: true })
  await rm(file, { force: true })
}

function volumesOf(runDirectory: string): string {
  return join(runDirectory, '.volumes')
}

/** File with the pod of a volume. The kubelet's volume ids are `csi-` and a hash. */
function volumeFile(runDirectory: string, volumeId: string): string {
  if (!/^[\w.-]+$/.test(volumeId) || volumeId.startsWith('.')) throw new InvalidArgument(`"${volumeId}" is no volume id`)
  return join(volumesOf(runDirectory), volumeId)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

const run = promisify(execFile)

const systemMounts: Mounts = {
  async bind(source, target) {
    await run('mount', ['--bind', source, target])
  },
  async unmount(target) {
    while (await isMounted(target)) await run('umount', [target])
  },
}

async function isMounted(target: string): Promise<boolean> {
  const table = await readFile('/proc/self/mountinfo', 'utf8')
  // Field 5 is the mount point; spaces in it are escaped.
  return table.split('\n').some((line) => line.split(' ')[4] === target.replaceAll(' ', String.raw`\040`))
}
