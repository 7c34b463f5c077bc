import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Client, credentials } from '@grpc/grpc-js'
import { until } from '#features/cluster.fixture.ts'
import { systemClock, type Clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createDevicePlugin, type SharedDevice } from './device-plugin.ts'
import { callOnSocket, serveOnSocket, type Message } from './grpc-socket.ts'
import { messageType } from './messages.ts'

/** Waits a thousandth of the time. */
const clock: Clock = { ...systemClock, now: () => systemClock.now(), sleep: (ms, signal) => systemClock.sleep(ms / 1_000, signal) }

interface Kubelet extends AsyncDisposable {
  readonly directory: string
  readonly socket: string
  readonly registered: Message[]
  /** Empties the directory and serves registrations again, as a restart does. */
  restart(): Promise<void>
  /** Numbers of devices that the plugin sends, from its first message. */
  watchUnits(): { readonly counts: number[]; end(): void }
}

/** Starts the kubelet's side of device plugins, and the plugin. */
async function startKubelet(device: SharedDevice): Promise<Kubelet> {
  const directory = await mkdtemp(join(tmpdir(), 'dp-'))
  const socket = join(directory, 'steadyvm-kvm.sock')
  const registered: Message[] = []
  let server = await serveRegistration(directory, registered)
  const stop = new AbortController()
  const running = createDevicePlugin({ device, directory, clock, log }).run(stop.signal)
  await until(() => registered.length === 1)
  return {
    directory,
    socket,
    registered,
    async restart() {
      await server[Symbol.asyncDispose]()
      rmSync(socket)
      server = await serveRegistration(directory, registered)
    },
    watchUnits() {
      const client = new Client(`unix:${socket}`, credentials.createInsecure())
      const type = messageType('ListAndWatchResponse')
      const decode = (bytes: Buffer): Message => type.toObject(type.decode(bytes))
      const path = '/v1beta1.DevicePlugin/ListAndWatch'
      const stream = client.makeServerStreamRequest(path, () => Buffer.alloc(0), decode, {})
      const counts: number[] = []
      stream.on('data', ({ devices = [] }: { devices?: readonly unknown[] }) => void counts.push(devices.length))
      stream.on('error', () => {})
      return {
        counts,
        end() {
          stream.cancel()
          client.close()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await server[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Serves the kubelet's registration of plugins, which appends the requests. */
async function serveRegistration(directory: string, registered: Message[]): Promise<AsyncDisposable> {
  return serveOnSocket(join(directory, 'kubelet.sock'), {
    '/v1beta1.Registration/Register': {
      request: 'RegisterRequest',
      response: 'Empty',
      handle: async (request) => (registered.push(request), {}),
    },
  })
}

const kvm: SharedDevice = { resource: 'devices.kubevirt.io/kvm', path: '/dev/kvm', isUsable: async () => true }

suite('createDevicePlugin()', () => {
  test('registers the resource, and allocates the device for each container', async () => {
    await using kubelet = await startKubelet(kvm)
    const [{ version, endpoint, resourceName } = {}] = kubelet.registered
    assert.deepEqual([version, endpoint, resourceName], ['v1beta1', 'steadyvm-kvm.sock', 'devices.kubevirt.io/kvm'])
    const types = { request: 'AllocateRequest', response: 'AllocateResponse' }
    const containerRequests = [{ devicesIds: ['kvm1'] }, { devicesIds: ['kvm2'] }]
    const answer = await callOnSocket(kubelet.socket, '/v1beta1.DevicePlugin/Allocate', types, { containerRequests })
    const devices = [{ containerPath: '/dev/kvm', hostPath: '/dev/kvm', permissions: 'rw' }]
    assert.deepEqual(answer, { containerResponses: [{ devices }, { devices }] })
  })

  test('offers units while the device works', async () => {
    let works = false
    await using kubelet = await startKubelet({ ...kvm, isUsable: async () => works })
    const watch = kubelet.watchUnits()
    await until(() => watch.counts.length === 1)
    works = true
    await until(() => watch.counts.length === 2)
    works = false
    await until(() => watch.counts.length === 3)
    watch.end()
    assert.deepEqual(watch.counts, [0, 1_000, 0])
  })

  test('offers nothing when the device does not exist', async () => {
    await using kubelet = await startKubelet({ resource: 'devices.kubevirt.io/kvm', path: '/dev/not-there' })
    const watch = kubelet.watchUnits()
    await until(() => watch.counts.length === 1)
    watch.end()
    assert.deepEqual(watch.counts, [0])
  })

  test('registers again when the kubelet restarts', async () => {
    await using kubelet = await startKubelet(kvm)
    await kubelet.restart()
    await until(() => kubelet.registered.length === 2 && existsSync(kubelet.socket))
  })

  test('waits for a kubelet that does not answer', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'dp-'))
    const stop = new AbortController()
    const running = createDevicePlugin({ device: kvm, directory, clock, log }).run(stop.signal)
    await systemClock.sleep(50)
    const registered: Message[] = []
    await using _kubelet = await serveRegistration(directory, registered)
    await until(() => registered.length === 1)
    stop.abort()
    await running
    await rm(directory, { recursive: true, force: true })
  })
})
