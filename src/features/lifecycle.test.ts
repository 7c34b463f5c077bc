import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Client } from '#client/client.ts'
import { connectQmp, queryCapabilities, type QmpConnection } from '#qemu/index.ts'
import { systemClock } from '#runtime/clock.ts'
import { found, startTestCluster, until, type TestCluster } from './cluster.fixture.ts'
import type { Host } from './node-agent/index.ts'

const qemuBinary = '/usr/bin/qemu-system-x86_64'
const canRun = existsSync(qemuBinary)
let host: Host

async function startWithVm(parts: Partial<VirtualMachine['spec']> = {}): Promise<TestCluster> {
  const cluster = await startTestCluster({ host })
  for (const part of ['virt-controller', 'kubelet', 'node-agent'] as const) cluster.start(part)
  const { client } = cluster
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

async function qemu(cluster: TestCluster): Promise<{ pid: number; tools: () => Promise<QmpConnection> }> {
  const uids = readdirSync(cluster.podsDirectory)
  const directory = uids
    .map((uid) => join(cluster.podsDirectory, uid, 'volumes/kubernetes.io~empty-dir/private'))
    .find((path) => existsSync(join(path, 'launch.json')))
  assert.ok(directory !== undefined)
  const record = JSON.parse(readFileSync(join(directory, 'launch.json'), 'utf8')) as { monitor: string }
  const pid = Number(readFileSync(join(directory, 'process'), 'utf8').split(' ')[0])
  return { pid, tools: () => connectQmp(record.monitor.replace('agent.qmp', 'tools.qmp')) }
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
}

suite('a VM on its way', { skip: !canRun }, () => {
  before(async () => {
    const { machineAliases, machineTypes, cpuModels } = await queryCapabilities(qemuBinary, 'tcg')
    host = { accelerator: 'tcg', acceleratorReason: 'for tests', qemuBinary, machineAliases, machineTypes, cpuModels }
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

  test('says what is missing, starts when it appears, and is not woken by anything else', async () => {
    await using cluster = await startWithVm({ instancetype: { name: 'later', kind: 'VirtualMachineInstancetype' } })
    const { client } = cluster
    const failure = await until(async () => (await vmNow(client))?.status?.conditions?.find(({ type }) => type === 'Failure'))
    assert.equal(failure.reason, 'FailedFindInstancetype')
    assert.equal(failure.message, 'virtualmachineinstancetypes.instancetype.kubevirt.io "later" not found')
    assert.equal((await vmNow(client))?.status?.printableStatus, 'Stopped')
    const before = cluster.writes.length
    await systemClock.sleep(300)
    assert.equal(cluster.writes.length, before)
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

  test('keeps the guest while agent and controller are away, and adopts it afterwards', async () => {
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
      // What a guest does that panics or is powered off from inside: QEMU stops, and the agent reads why.
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
})
