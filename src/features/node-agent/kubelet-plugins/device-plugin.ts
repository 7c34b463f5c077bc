import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { kvmResource, tunResource } from '#features/launcher/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createOutage } from '#runtime/clock/outage.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Host } from '../node/host.ts'
import { callOnSocket, serveOnSocket, type Message, type Methods } from './grpc-socket.ts'

/** A character device of the node that any number of guests may use at once. */
export interface SharedDevice {
  /** Extended resource: `devices.kubevirt.io/kvm`. */
  readonly resource: string
  /** Path on the node and in containers. */
  readonly path: string
  /** Reports whether it works. Default: it can be opened. */
  readonly isUsable?: () => Promise<boolean>
}

/** Returns the devices that a node with the accelerator offers. */
export function sharedDevices({ accelerator }: Pick<Host, 'accelerator'>): readonly SharedDevice[] {
  return [
    // A device that opens proves nothing.
    { resource: kvmResource, path: '/dev/kvm', isUsable: async () => accelerator === 'kvm' },
    { resource: tunResource, path: '/dev/net/tun' },
    { resource: 'devices.kubevirt.io/vhost-net', path: '/dev/vhost-net' },
  ]
}

/** Options of {@link createDevicePlugin}. */
export interface DevicePluginOptions {
  readonly device: SharedDevice
  /** The kubelet's directory for device plugins, with its socket. */
  readonly directory: string
  readonly clock: Clock
  readonly log: Logger
}

/** Number of containers of a node that can have a device, as in KubeVirt. */
const units = 1_000
/** Milliseconds between checks of the device, and of the socket. */
const checkMs = 5_000

/**
 * Offers a device to pods as an extended resource of the node. The kubelet puts it into the
 * containers that request it, which need no privilege for it. A kubelet that restarts empties the
 * directory: the plugin then serves and registers again.
 */
export function createDevicePlugin(options: DevicePluginOptions): Runnable {
  return {
    async run(signal) {
      const { device, directory, clock, log } = options
      const endpoint = `steadyvm-${nameOf(device)}.sock`
      const socket = join(directory, endpoint)
      const outage = createOutage({ log, clock })
      while (!signal.aborted) {
        try {
          await using _server = await serveOnSocket(socket, methodsOf(options, signal))
          await register(directory, { version: 'v1beta1', endpoint, resourceName: device.resource })
          outage.ended()
          log.info({ resource: device.resource }, 'The kubelet has registered the device')
          while (!signal.aborted && (await isAccessible(socket))) await clock.sleep(checkMs, signal).catch(() => {})
        } catch (error) {
          outage.failed({ error, resource: device.resource }, 'The kubelet does not register the device: trying again')
          await clock.sleep(checkMs, signal).catch(() => {})
        }
      }
    },
  }
}

async function register(directory: string, request: Message): Promise<void> {
  const types = { request: 'RegisterRequest', response: 'Empty' }
  await callOnSocket(join(directory, 'kubelet.sock'), '/v1beta1.Registration/Register', types, request)
}

function methodsOf({ device, clock }: DevicePluginOptions, signal: AbortSignal): Methods {
  return {
    '/v1beta1.DevicePlugin/GetDevicePluginOptions': { request: 'Empty', response: 'DevicePluginOptions', handle: async () => ({}) },
    '/v1beta1.DevicePlugin/PreStartContainer': { request: 'Empty', response: 'Empty', handle: async () => ({}) },
    '/v1beta1.DevicePlugin/GetPreferredAllocation': { request: 'Empty', response: 'Empty', handle: async () => ({}) },
    '/v1beta1.DevicePlugin/ListAndWatch': {
      request: 'Empty',
      response: 'ListAndWatchResponse',
      stream: (send, ended) => void followHealth(device, clock, send, AbortSignal.any([signal, ended])),
    },
    '/v1beta1.DevicePlugin/Allocate': {
      request: 'AllocateRequest',
      response: 'AllocateResponse',
      handle: async (request) => {
        const { containerRequests = [] } = request as { containerRequests?: readonly unknown[] }
        const spec = { containerPath: device.path, hostPath: device.path, permissions: 'rw' }
        return { containerResponses: containerRequests.map(() => ({ devices: [spec] })) }
      },
    },
  }
}

/** Sends the units of the device at first and when it begins or ends to work. */
async function followHealth(device: SharedDevice, clock: Clock, send: (message: Message) => void, signal: AbortSignal): Promise<void> {
  let last: boolean | undefined
  while (!signal.aborted) {
    const isUsable = await (device.isUsable ?? (() => isAccessible(device.path, constants.R_OK | constants.W_OK)))()
    if (isUsable !== last && !signal.aborted) send({ devices: isUsable ? unitsOf(device) : [] })
    last = isUsable
    await clock.sleep(checkMs, signal).catch(() => {})
  }
}

function unitsOf(device: SharedDevice): Message[] {
  return Array.from({ length: units }, (_, index) => ({ ID: `${nameOf(device)}${index}`, health: 'Healthy' }))
}

/** Returns `kvm` for `devices.kubevirt.io/kvm`. */
function nameOf({ resource }: SharedDevice): string {
  return resource.replace(/^.*\//, '')
}

async function isAccessible(path: string, mode?: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}
