import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import { connectQmp, queryCapabilities, type QmpConnection } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { silentLogger, type Logger } from '#runtime/process/log.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import type { Host } from '#features/node-agent/index.ts'

const qemuBinary = '/usr/bin/qemu-system-x86_64'
const canRun = existsSync(qemuBinary)
let host: Host

async function startWithVm(parts: Partial<VirtualMachine['spec']> = {}, log: Logger = silentLogger): Promise<TestCluster> {
  const cluster = await startTestCluster({ host, log })
  for (const part of ['virt-controller', 'kubelet', 'node-agent'] as const) cluster.start(part)
  const { client } = cluster
  // A launcher pod from before the first heartbeat is unschedulable, which costs three more writes.
  await until(async () => (await client.list(nodes)).items.some(({ metadata }) => metadata.labels?.['kubevirt.io/schedulable'] === 'true'))
  await client.create(virtualMachineInstancetypes, {
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineInstancetype',
    metadata: { name: 'tiny', namespace: 'default' },
    spec: { cpu: { guest: 1 }, memory: { guest: '16Mi' } },
  })
  await client.create(virtualMachinePreferences, {
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachinePreference',
    metadata: { name: 'bare', namespace: 'default' },
    spec: { devices: { preferredAutoattachGraphicsDevice: false, preferredDiskBus: 'virtio' } },
  })
  await client.create(virtualMachines, vm(parts))
  return cluster
}

function vm(parts: Partial<VirtualMachine['spec']> = {}): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      runStrategy: 'Always',
      instancetype: { name: 'tiny', kind: 'VirtualMachineInstancetype' },
      preference: { name: 'bare', kind: 'VirtualMachinePreference' },
      template: {
        spec: {
          domain: { devices: {} },
          terminationGracePeriodSeconds: 0,
          volumes: [{ name: 'scratch', emptyDisk: { capacity: '1Mi' } }],
        },
      },
      ...parts,
    },
  }
}

const vmNow = (client: Client): Promise<VirtualMachine | undefined> => found(client, virtualMachines, 'web')
const isRunning = async (client: Client): Promise<boolean> => (await vmNow(client))?.status?.printableStatus === 'Running'

interface RunningGuest {
  readonly pid: number
  readonly boots: boolean
  readonly serialLog: string
  readonly tools: () => Promise<QmpConnection>
}

/** Returns the QEMU of the VM's only guest, or of the given VMI's. */
async function qemu(cluster: TestCluster, uid?: string): Promise<RunningGuest> {
  for (const pod of readdirSync(cluster.podsDirectory)) {
    const directory = join(cluster.podsDirectory, pod, 'volumes/kubernetes.io~empty-dir/private')
    const file = join(directory, 'launch.json')
    if (!existsSync(file)) continue
    const record = JSON.parse(readFileSync(file, 'utf8')) as LaunchRecord
    if (uid !== undefined && record.vmi.uid !== uid) continue
    return {
      pid: Number(readFileSync(join(directory, 'process'), 'utf8').split(' ')[0]),
      boots: record.domain.disks.some(({ name }) => name === 'boot'),
      serialLog: join(directory, 'serial.log'),
      tools: () => connectQmp(record.monitor.replace('agent.qmp', 'tools.qmp')),
    }
  }
  return assert.fail('there is no guest')
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
}

/** Returns a logger that records the warnings of components. */
function recordWarnings(): { readonly log: Logger; readonly warnings: string[] } {
  const warnings: string[] = []
  const keep: Logger['warn'] = ({ error }, message) => warnings.push(error instanceof Error ? `${message}: ${error.message}` : message)
  const log: Logger = { ...silentLogger, warn: keep, error: keep, child: () => log }
  return { log, warnings }
}

suite('the lifecycle of a VM', { skip: !canRun }, () => {
  before(async () => {
    const capabilities = await queryCapabilities(qemuBinary, 'tcg')
    host = { ...capabilities, accelerator: 'tcg', acceleratorReason: 'for tests', qemuBinary, firmware: [], tpmEmulator: undefined }
  })

  test('causes no warning: a conflict with its own last write is not reported', async () => {
    const { log, warnings } = recordWarnings()
    await using cluster = await startWithVm({}, log)
    const { client } = cluster
    const key = { namespace: 'default', name: 'web' }
    await until(() => isRunning(client))
    const first = await client.get(virtualMachineInstances, key)
    await client.delete(virtualMachineInstances, key)
    await until(async () => {
      const vmi = await found(client, virtualMachineInstances, 'web')
      return vmi !== undefined && vmi.metadata.uid !== first.metadata.uid && (await isRunning(client))
    })
    await client.patch(virtualMachines, key, {
      type: 'merge',
      body: { spec: { instancetype: null, preference: null, runStrategy: 'Halted' } },
    })
    await until(async () => (await vmNow(client))?.status?.printableStatus === 'Stopped')
    assert.equal((await vmNow(client))?.status?.instancetypeRef, undefined)
    await client.delete(virtualMachines, key)
    await until(async () => (await vmNow(client)) === undefined)
    assert.deepEqual(warnings, [])
  })

  test('runs a real QEMU, pinned by revisions, with four writes, and leaves nothing behind', async () => {
    await using cluster = await startWithVm()
    const { client } = cluster
    await until(() => isRunning(client))
    const running = await vmNow(client)
    assert.deepEqual(running?.spec, vm().spec)
    const revisionName = running?.status?.instancetypeRef?.controllerRevisionRef?.name ?? ''
    const revision = await client.get(controllerRevisions, { namespace: 'default', name: revisionName })
    assert.equal(revision.metadata.labels?.['instancetype.kubevirt.io/object-name'], 'tiny')
    assert.equal(running?.status?.ready, true)

    const vmi = await client.get(virtualMachineInstances, { namespace: 'default', name: 'web' })
    assert.equal(vmi.status?.machine?.type, host.machineAliases['q35'])
    assert.deepEqual(
      vmi.status?.phaseTransitionTimestamps?.map(({ phase }) => phase),
      ['Pending', 'Scheduling', 'Scheduled', 'Running'],
    )
    await systemClock.sleep(200)
    const counted = cluster.writes.filter(
      ({ verb, resource }) => verb !== 'create' && verb !== 'delete' && /^(pods|virtualmachineinstances)/.test(resource),
    )
    assert.deepEqual(
      counted.map(({ component, resource }) => `${component} ${resource}`),
      [
        'virt-controller virtualmachineinstances',
        'kubelet pods/status',
        'virt-controller virtualmachineinstances',
        'virt-handler virtualmachineinstances',
      ],
    )

    const { pid } = await qemu(cluster)
    assert.ok(isAlive(pid))
    await client.delete(virtualMachines, { namespace: 'default', name: 'web' })
    await until(async () => (await vmNow(client)) === undefined)
    assert.ok(!isAlive(pid))
    await until(async () => (await client.list(controllerRevisions, { namespace: 'default' })).items.length === 0)
    assert.deepEqual((await client.list(pods, { namespace: 'default' })).items, [])
    await until(() => readdirSync(join(cluster.directory, 'run')).length === 0)
  })

  test('leaves its guest to the next VM of its name when it is deleted without it', async () => {
    const plain = { instancetype: undefined, preference: undefined } as unknown as Partial<VirtualMachine['spec']>
    const template = { spec: { domain: { devices: {}, memory: { guest: '16Mi' } }, terminationGracePeriodSeconds: 0 } }
    await using cluster = await startWithVm({ ...plain, template })
    const { client } = cluster
    const key = { namespace: 'default', name: 'web' }
    await until(() => isRunning(client))
    const { metadata } = await client.get(virtualMachineInstances, key)
    const { pid } = await qemu(cluster)
    await client.delete(virtualMachines, key, { propagationPolicy: 'Orphan' })
    await until(async () => (await vmNow(client)) === undefined)
    await client.create(virtualMachines, vm({ ...plain, template, runStrategy: 'Manual' }))
    await until(() => isRunning(client))
    const adopted = await client.get(virtualMachineInstances, key)
    assert.equal(adopted.metadata.uid, metadata.uid)
    assert.equal(adopted.metadata.ownerReferences?.[0]?.uid, (await vmNow(client))?.metadata.uid)
    assert.ok(isAlive(pid))
    await client.delete(virtualMachines, key)
    await until(async () => (await vmNow(client)) === undefined)
    assert.ok(!isAlive(pid))
  })

  test('reports a missing instance type, starts when it appears, and is not woken by other objects', async () => {
    await using cluster = await startWithVm({ instancetype: { name: 'later', kind: 'VirtualMachineInstancetype' } })
    const { client } = cluster
    const failure = await until(async () => (await vmNow(client))?.status?.conditions?.find(({ type }) => type === 'Failure'))
    assert.equal(failure.reason, 'FailedFindInstancetype')
    assert.equal(failure.message, 'virtualmachineinstancetypes.instancetype.kubevirt.io "later" not found')
    assert.equal((await vmNow(client))?.status?.printableStatus, 'Stopped')
    const written = (): object[] => cluster.writes.filter(({ component }) => component === 'virt-controller')
    const before = written()
    await systemClock.sleep(300)
    assert.deepEqual(written(), before)
    await client.create(virtualMachineInstancetypes, {
      metadata: { name: 'later', namespace: 'default' },
      spec: { cpu: { guest: 2 }, memory: { guest: '16Mi' } },
    })
    await until(() => isRunning(client))
    assert.equal(
      (await vmNow(client))?.status?.conditions?.some(({ type }) => type === 'Failure'),
      false,
    )
    await client.delete(virtualMachines, { namespace: 'default', name: 'web' })
    await until(async () => (await vmNow(client)) === undefined)
  })

  test('keeps the guest while agent and controller are stopped, and adopts it afterwards', async () => {
    const cluster = await startTestCluster({ host })
    await using _ = cluster
    const stops = (['virt-controller', 'kubelet', 'node-agent'] as const).map((part) => cluster.start(part))
    const { client } = cluster
    const { instancetype: _i, preference: _p, ...bare } = vm().spec
    const template = {
      spec: { ...bare.template.spec, domain: { memory: { guest: '16Mi' }, devices: { autoattachGraphicsDevice: false } } },
    }
    await client.create(virtualMachines, { ...vm(), spec: { ...bare, template } })
    await until(() => isRunning(client))
    const { pid, tools } = await qemu(cluster)
    for (const stop of stops) await stop()
    assert.ok(isAlive(pid))
    const before = cluster.writes.length
    for (const part of ['virt-controller', 'kubelet', 'node-agent'] as const) cluster.start(part)
    await systemClock.sleep(500)
    assert.deepEqual(
      cluster.writes.slice(before).filter(({ resource }) => !resource.startsWith('nodes')),
      [],
    )
    {
      using monitor = await tools()
      // What a guest does that panics or is powered off from inside: QEMU stops, and the agent
      // reads why.
      await monitor.execute('quit').catch(() => {})
    }
    const old = (await found(client, virtualMachineInstances, 'web'))?.metadata.uid
    await until(async () => {
      const vmi = await found(client, virtualMachineInstances, 'web')
      return vmi !== undefined && vmi.metadata.uid !== old && vmi.status?.phase === 'Running'
    })
    await client.delete(virtualMachines, { namespace: 'default', name: 'web' })
    await until(async () => (await vmNow(client)) === undefined)
  })

  test('presses the power button when the VMI is deleted, and starts a new guest', async () => {
    await using cluster = await startWithVm(bootable('Always', 20))
    const { client } = cluster
    const { pid } = await started(cluster)
    const old = (await found(client, virtualMachineInstances, 'web'))?.metadata.uid
    const since = systemClock.now()
    await client.delete(virtualMachineInstances, { namespace: 'default', name: 'web' })
    await until(() => !isAlive(pid))
    assert.ok(systemClock.now() - since < 5_000)
    const again = await until(async () => {
      const vmi = await found(client, virtualMachineInstances, 'web')
      return vmi !== undefined && vmi.metadata.uid !== old && vmi.status?.phase === 'Running' && vmi
    })
    await started(cluster, again.metadata.uid)
    await removeVm(client)
  })

  test('powers the guest off when only its pod is deleted', async () => {
    await using cluster = await startWithVm(bootable('Manual', 20))
    const { client } = cluster
    await client.patch(
      virtualMachines,
      { namespace: 'default', name: 'web' },
      { type: 'merge', body: { status: { stateChangeRequests: [{ action: 'Start' }] } } },
      { subresource: 'status' },
    )
    await started(cluster)
    assert.equal((await vmNow(client))?.status?.stateChangeRequests, undefined)
    const pod = (await client.list(pods, { namespace: 'default' })).items[0]
    await client.delete(pods, { namespace: 'default', name: pod?.metadata.name ?? '' })
    const ended = await until(async () => {
      const vmi = await found(client, virtualMachineInstances, 'web')
      return vmi?.status?.phase === 'Succeeded' && vmi
    })
    assert.equal(ended.status?.reason, 'GuestShutdown')
    await until(async () => (await vmNow(client))?.status?.printableStatus === 'Stopped')
    await until(async () => (await client.list(pods, { namespace: 'default' })).items.length === 0)
    await removeVm(client)
  })

  test('kills a guest that ignores the power button after the grace period', async () => {
    await using cluster = await startWithVm({ template: { spec: { ...vm().spec.template.spec, terminationGracePeriodSeconds: 1 } } })
    const { client } = cluster
    const { pid } = await started(cluster)
    const since = systemClock.now()
    await client.patch(virtualMachines, { namespace: 'default', name: 'web' }, { type: 'merge', body: { spec: { runStrategy: 'Halted' } } })
    await until(async () => (await vmNow(client))?.status?.printableStatus === 'Stopping')
    assert.ok(isAlive(pid))
    await until(async () => (await vmNow(client))?.status?.printableStatus === 'Stopped')
    // How it ended is written down before QEMU goes.
    await until(() => !isAlive(pid))
    const tookMs = systemClock.now() - since
    // The usual grace period is three minutes.
    assert.ok(tookMs >= 1_000 && tookMs < 60_000, `took ${tookMs} ms`)
    await removeVm(client)
  })

  test('runs again on failure only', async () => {
    await using cluster = await startWithVm(bootable('RerunOnFailure', 20))
    const { client } = cluster
    const { pid } = await started(cluster)
    const old = (await found(client, virtualMachineInstances, 'web'))?.metadata.uid
    process.kill(pid, 'SIGKILL')
    const again = await until(async () => {
      const vmi = await found(client, virtualMachineInstances, 'web')
      return vmi !== undefined && vmi.metadata.uid !== old && vmi.status?.phase === 'Running' && vmi
    })
    const next = await started(cluster, again.metadata.uid)
    using monitor = await next.tools()
    await monitor.execute('system_powerdown')
    await until(async () => (await found(client, virtualMachineInstances, 'web')) === undefined)
    await until(async () => (await vmNow(client))?.status?.printableStatus === 'Stopped')
    await systemClock.sleep(200)
    assert.equal(await found(client, virtualMachineInstances, 'web'), undefined)
    await removeVm(client)
  })

  test('ends a guest whose VMI vanished while the agent was away', async () => {
    const cluster = await startTestCluster({ host })
    await using _ = cluster
    const { client } = cluster
    for (const part of ['virt-controller', 'kubelet'] as const) cluster.start(part)
    const stopAgent = cluster.start('node-agent')
    await client.create(virtualMachines, { ...vm(), spec: { ...vm().spec, ...bootable('Always', 20), ...sizedByItself } })
    const { pid } = await started(cluster)
    await stopAgent()
    const body = { metadata: { finalizers: [] } }
    await client.patch(virtualMachines, { namespace: 'default', name: 'web' }, { type: 'merge', body: { spec: { runStrategy: 'Manual' } } })
    await client.patch(virtualMachineInstances, { namespace: 'default', name: 'web' }, { type: 'merge', body })
    await client.delete(virtualMachineInstances, { namespace: 'default', name: 'web' })
    assert.ok(isAlive(pid))
    cluster.start('node-agent')
    await until(() => !isAlive(pid))
    await removeVm(client)
  })

  test('reports what a node cannot run, without constant retries', async () => {
    const template = { spec: { ...vm().spec.template.spec, volumes: [{ name: 'a', hostDisk: { path: '/x', type: 'Disk' } }] } }
    await using cluster = await startWithVm({ template })
    const { client } = cluster
    const trouble = await until(async () => (await vmNow(client))?.status?.conditions?.find(({ type }) => type === 'Synchronized'))
    assert.match(trouble.message ?? '', /^volume "a" must have an image/)
    const before = cluster.writes.length
    await systemClock.sleep(300)
    assert.ok(cluster.writes.length - before <= 1)
    await removeVm(client)
  })
})

/** Returns a VM whose guest powers off on request. */
function bootable(
  runStrategy: 'Always' | 'Manual' | 'RerunOnFailure',
  terminationGracePeriodSeconds: number,
): Partial<VirtualMachine['spec']> {
  const spec = { ...vm().spec.template.spec, terminationGracePeriodSeconds, volumes: [{ name: 'boot', containerDisk: { image: 'guest' } }] }
  return { runStrategy, template: { spec } }
}

/** Changes of a VM for clusters without instance types. */
const sizedByItself = {
  instancetype: undefined as never,
  preference: undefined as never,
  template: {
    spec: {
      ...bootable('Always', 20).template?.spec,
      domain: { memory: { guest: '16Mi' }, devices: { autoattachGraphicsDevice: false } },
    },
  },
}

/** Waits until the guest has printed that it runs. */
async function started(cluster: TestCluster, uid?: string): Promise<Awaited<ReturnType<typeof qemu>>> {
  const { client } = cluster
  await until(() => isRunning(client))
  if (uid !== undefined) await until(async () => (await found(client, virtualMachineInstances, 'web'))?.metadata.uid === uid)
  const guest = await qemu(cluster, uid)
  if (guest.boots) await until(() => readFileSync(guest.serialLog, 'latin1').endsWith('!'))
  return guest
}

async function removeVm(client: Client): Promise<void> {
  await client.delete(virtualMachines, { namespace: 'default', name: 'web' })
  await until(async () => (await vmNow(client)) === undefined)
}
