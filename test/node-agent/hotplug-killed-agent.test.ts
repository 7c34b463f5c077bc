import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { suite, test } from 'node:test'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { connectQmp, plugVcpus } from '#qemu/index.ts'
import { guestSockets } from '#features/node-agent/domain/domain.ts'
import { guestsOnDisk, qemuBinary, testHost, webVm, webVmi } from '#features/node-agent/guest.fixture.ts'
import { sample } from '../support/effort.ts'

const patienceMs = 60_000
const key = { namespace: 'default', name: 'web' }

/** Returns a VM whose guest supports hotplug. */
function growingVm(): VirtualMachine {
  const vm = webVm('Always', 0)
  const { template } = vm.spec
  const size = { cpu: { sockets: 1, maxSockets: 4 }, memory: { guest: '1Gi', maxGuest: '2Gi' } }
  return { ...vm, spec: { ...vm.spec, template: { spec: { ...template.spec, domain: { ...template.spec.domain, ...size } } } } }
}

const larger = { spec: { template: { spec: { domain: { cpu: { sockets: 3 }, memory: { guest: '1536Mi' } } } } } }

/** Waits until the guest's first hardware is recorded. */
async function recorded(cluster: TestCluster): Promise<number> {
  const guest = await until(() => guestsOnDisk(cluster).find(({ hardware }) => hardware !== undefined), patienceMs)
  return guest.process?.pid ?? 0
}

/**
 * Waits until the VMI, the record and the VM report the requested size, and compares their other
 * fields.
 */
async function grown(cluster: TestCluster, pid: number): Promise<void> {
  await until(async () => {
    const { currentCPUTopology, memory } = (await webVmi(cluster))?.status ?? {}
    return currentCPUTopology?.sockets === 3 && memory?.guestRequested === '1536Mi'
  }, patienceMs)
  const { conditions, memory } = (await webVmi(cluster))?.status ?? {}
  // Nothing in this guest takes memory or starts processors.
  assert.deepEqual([memory?.guestAtBoot, memory?.guestCurrent], ['1Gi', '1Gi'])
  assert.equal(findCondition(conditions, 'HotMemoryChange')?.reason, 'OfferedToGuest')
  assert.equal(findCondition(conditions, 'HotVCPUChange')?.reason, 'OfferedToGuest')
  const record = await until(async () => {
    const known = await found(cluster.client, hardwareRecords, 'web')
    return known?.facts['cpu: plugged'] === '3' && known.facts['device pluggable0: requested-size'] === String(512 << 20) && known
  }, patienceMs)
  assert.deepEqual([...new Set(record.history.map(({ reason }) => reason))], ['Plugged', 'FirstStart'])
  await until(async () => {
    const { metadata, status } = (await found(cluster.client, virtualMachines, 'web')) ?? {}
    return status?.observedGeneration === metadata?.generation && findCondition(status?.conditions, 'RestartRequired') === undefined
  }, patienceMs)
  assert.deepEqual(
    guestsOnDisk(cluster).map(({ process }) => process?.pid),
    [pid],
  )
}

suite('an agent that is killed during a hotplug', { skip: !existsSync(qemuBinary) }, () => {
  const deaths: readonly CrashPoint[] = [1, 2].flatMap((write) => [
    { write, moment: 'before' },
    { write, moment: 'after' },
  ])
  for (const death of sample(deaths, 1)) {
    test(`${death.moment} its write ${death.write}: the next agent finishes, and no device is plugged twice`, async () => {
      await using cluster = await startTestCluster({ host: await testHost(), hardwareQuietMs: 0 })
      for (const part of ['virt-controller', 'kubelet'] as const) cluster.start(part)
      const first = cluster.start('node-agent')
      await cluster.client.create(virtualMachines, growingVm())
      const pid = await recorded(cluster)
      await first()
      const died = Promise.withResolvers<void>()
      const second = cluster.start('node-agent', (client) => crashingClient(client, death, died.resolve))
      await cluster.client.patch(virtualMachines, key, { type: 'merge', body: larger })
      await died.promise
      await second()
      cluster.start('node-agent')
      await grown(cluster, pid)
    })
  }

  test('between two CPUs: the next agent plugs the missing ones', async () => {
    await using cluster = await startTestCluster({ host: await testHost(), hardwareQuietMs: 0 })
    for (const part of ['virt-controller', 'kubelet'] as const) cluster.start(part)
    const first = cluster.start('node-agent')
    await cluster.client.create(virtualMachines, growingVm())
    const pid = await recorded(cluster)
    await first()
    const [guest] = guestsOnDisk(cluster)
    assert.ok(guest?.record !== undefined)
    const { spareMonitor } = guestSockets(launcherPaths(cluster.podsDirectory, `${cluster.directory}/run`, guest.podUid).runDirectory)
    {
      using qmp = await connectQmp(spareMonitor)
      assert.deepEqual(await plugVcpus(qmp, 2), { count: 2 })
    }
    await cluster.client.patch(virtualMachines, key, { type: 'merge', body: larger })
    cluster.start('node-agent')
    await grown(cluster, pid)
  })
})
