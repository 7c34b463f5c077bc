import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { status, type ServiceError } from '@grpc/grpc-js'
import { handoverDriver } from '#api/steadyvm/v1alpha1/handover-driver.ts'
import { until } from '#features/cluster.fixture.ts'
import { containedLauncherPaths } from '#features/launcher/index.ts'
import { createVirtualClock, type VirtualClock } from '#runtime/clock/virtual-clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createHandoverDriver } from './csi-driver.ts'
import { callOnSocket, type Message } from './grpc-socket.ts'

const podUid = '01234567-89ab-cdef-0123-456789abcdef'
const volumeId = 'csi-5ca1ab1e'
const volumeContext = { 'csi.storage.k8s.io/ephemeral': 'true', 'csi.storage.k8s.io/pod.uid': podUid }

interface Node extends AsyncDisposable {
  readonly directory: string
  readonly runDirectory: string
  readonly clock: VirtualClock
  readonly target: string
  /** Mounts by target. */
  readonly mounted: ReadonlyMap<string, string>
  /** Calls a method as the kubelet does. */
  call(socket: 'driver' | 'registration', path: string, types: readonly [string, string], message?: Message): Promise<Message>
  /** Reports the outcome of the registration as the kubelet does. */
  report(status: Message): Promise<Message>
  publish(context?: Readonly<Record<string, string>>): Promise<unknown>
  unpublish(): Promise<unknown>
}

async function startNode(): Promise<Node> {
  const directory = await mkdtemp(join(tmpdir(), 'csi-'))
  const [runDirectory, pluginDirectory, registryDirectory] = ['run', 'plugin', 'registry'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  await mkdir(registryDirectory)
  const mounted = new Map<string, string>()
  const clock = createVirtualClock()
  const stop = new AbortController()
  const driver = createHandoverDriver({
    nodeName: 'n1',
    version: 'v0.2.0',
    runDirectory,
    pluginDirectory,
    registryDirectory,
    launcherUser: process.getuid?.() ?? 0,
    clock,
    log,
    mounts: {
      bind: async (source, target) => void mounted.set(target, source),
      unmount: async (target) => void mounted.delete(target),
    },
  })
  const running = driver.run(stop.signal)
  const sockets = { driver: join(pluginDirectory, 'csi.sock'), registration: join(registryDirectory, `${handoverDriver}-reg.sock`) }
  await until(() => existsSync(sockets.registration))
  const call: Node['call'] = (socket, path, [request, response], message = {}) =>
    callOnSocket(sockets[socket], path, { request, response }, message)
  const target = join(directory, 'pods', podUid, 'volumes', 'handover', 'mount')
  return {
    directory,
    runDirectory,
    clock,
    target,
    mounted,
    call,
    report: (status_) =>
      call('registration', '/pluginregistration.Registration/NotifyRegistrationStatus', ['RegistrationStatus', 'Empty'], status_),
    publish: (context = volumeContext) =>
      call('driver', '/csi.v1.Node/NodePublishVolume', ['NodePublishVolumeRequest', 'Empty'], {
        volumeId,
        targetPath: target,
        volumeContext: context,
      }),
    unpublish: () =>
      call('driver', '/csi.v1.Node/NodeUnpublishVolume', ['NodeUnpublishVolumeRequest', 'Empty'], { volumeId, targetPath: target }),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      await rm(directory, { recursive: true, force: true })
    },
  }
}

suite('CSI driver of launcher pods', () => {
  test('registers itself with the kubelet', async () => {
    await using node = await startNode()
    const info = await node.call('registration', '/pluginregistration.Registration/GetInfo', ['Empty', 'PluginInfo'])
    const endpoint = join(node.directory, 'plugin/csi.sock')
    assert.deepEqual(info, { type: 'CSIPlugin', name: handoverDriver, endpoint, supportedVersions: ['1.0.0'] })
    await node.report({ pluginRegistered: true })
    assert.deepEqual(await node.call('driver', '/csi.v1.Node/NodeGetInfo', ['Empty', 'NodeGetInfoResponse']), { nodeId: 'n1' })
  })

  // The kubelet watches the directory of the socket, and tries once for each socket.
  test('offers its registration anew when the kubelet could not register it', async () => {
    await using node = await startNode()
    const socket = join(node.directory, 'registry', `${handoverDriver}-reg.sock`)
    const before = statSync(socket).ctimeMs
    await node.report({ pluginRegistered: false, error: 'error updating CSINode annotation: connection refused' })
    await until(() => node.clock.pending > 0)
    await node.clock.advance(2_000)
    await until(() => (statSync(socket, { throwIfNoEntry: false })?.ctimeMs ?? before) !== before)
    await node.report({ pluginRegistered: true })
  })

  test('mounts the shared part of a directory of the pod, also when the kubelet asks twice', async () => {
    await using node = await startNode()
    const { recordDirectory, sharedDirectory } = containedLauncherPaths(node.runDirectory, podUid)
    await node.publish()
    await node.publish()
    assert.deepEqual([...node.mounted], [[node.target, sharedDirectory]])
    assert.deepEqual(
      [recordDirectory, sharedDirectory].map((path) => statSync(path).mode & 0o777),
      [0o700, 0o700],
    )
    await node.unpublish()
    await node.unpublish()
    assert.deepEqual([[...node.mounted], existsSync(node.target), existsSync(recordDirectory)], [[], false, false])
    assert.deepEqual(await readdir(node.runDirectory), ['.volumes'])
    assert.deepEqual(await readdir(join(node.runDirectory, '.volumes')), [])
  })

  test('keeps the record of a guest whose end the node agent has not reported', async () => {
    await using node = await startNode()
    await node.publish()
    const { recordDirectory } = containedLauncherPaths(node.runDirectory, podUid)
    await writeFile(join(recordDirectory, 'launch.json'), '{}')
    await node.unpublish()
    assert.ok(existsSync(join(recordDirectory, 'launch.json')))
  })

  for (const [what, context] of [
    ['that is not ephemeral', { ...volumeContext, 'csi.storage.k8s.io/ephemeral': 'false' }],
    ['without a pod', { 'csi.storage.k8s.io/ephemeral': 'true' }],
  ] as const) {
    test(`refuses a volume ${what}`, async () => {
      await using node = await startNode()
      await assert.rejects(node.publish(context), (error: ServiceError) => error.code === status.INVALID_ARGUMENT)
      assert.deepEqual([...node.mounted], [])
    })
  }
})
