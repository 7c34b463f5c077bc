import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'

const namespace = 'default'
const key = { namespace, name: 'web' }
const small = { namespace, name: 'small' }

async function startVm(revisionName?: string): Promise<TestCluster> {
  const cluster = await startTestCluster()
  const { client } = cluster
  await client.create(virtualMachineInstancetypes, { metadata: small, spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } } })
  const instancetype = { name: 'small', kind: 'VirtualMachineInstancetype', ...(revisionName === undefined ? {} : { revisionName }) }
  const spec = { runStrategy: 'Halted' as const, instancetype, template: { spec: { domain: { devices: {} } } } }
  await client.create(virtualMachines, { metadata: key, spec })
  cluster.start('virt-controller')
  return cluster
}

function waitFor(cluster: TestCluster, holds: (vm: VirtualMachine) => unknown): Promise<VirtualMachine> {
  return until(async () => {
    const vm = await cluster.client.get(virtualMachines, key)
    return Boolean(holds(vm)) && vm
  })
}

const revisionOf = (vm: VirtualMachine): string | undefined => vm.status?.instancetypeRef?.controllerRevisionRef?.name
const failureOf = (vm: VirtualMachine): string | undefined => vm.status?.conditions?.find(({ type }) => type === 'Failure')?.reason

suite('a VM is requeued', () => {
  test('by its instance type, when that is changed, deleted and created again', async () => {
    await using cluster = await startVm()
    const { client } = cluster
    await waitFor(cluster, revisionOf)
    await client.patch(virtualMachineInstancetypes, small, { type: 'merge', body: { spec: { cpu: { guest: 4 } } } })
    await waitFor(cluster, ({ status }) => status?.steadyvm?.instancetype?.newerGeneration === 2)
    await client.delete(virtualMachineInstancetypes, small)
    await waitFor(cluster, ({ status }) => status?.steadyvm?.instancetype === undefined)
  })

  test('by its revision: a deleted one is captured again at once', async () => {
    await using cluster = await startVm()
    const name = revisionOf(await waitFor(cluster, revisionOf)) ?? ''
    const { metadata } = await cluster.client.get(controllerRevisions, { namespace, name })
    await cluster.client.delete(controllerRevisions, { namespace, name })
    await until(async () => {
      const again = await found(cluster.client, controllerRevisions, name)
      return again !== undefined && again.metadata.uid !== metadata.uid
    })
  })

  test('by a revision that its spec names, when that is created', async () => {
    await using cluster = await startVm('restored')
    const { client } = cluster
    await waitFor(cluster, (vm) => failureOf(vm) === 'FailedFindInstancetype')
    const data = {
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineInstancetype',
      metadata: { name: 'small' },
      spec: { cpu: { guest: 7 }, memory: { guest: '1Gi' } },
    }
    await client.create(controllerRevisions, { metadata: { namespace, name: 'restored' }, data, revision: 0 })
    const vm = await waitFor(cluster, (current) => failureOf(current) === undefined)
    assert.equal(vm.status?.steadyvm?.resources?.sockets, 7)
  })

  test('by nothing else: once settled, there are no writes', async () => {
    await using cluster = await startVm()
    await waitFor(cluster, ({ status }) => status?.printableStatus === 'Stopped' && status.steadyvm?.resources)
    const other = { namespace, name: 'other' }
    await cluster.client.create(virtualMachineInstancetypes, { metadata: other, spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } } })
    const count = (): number => cluster.writes.filter(({ component }) => component === 'virt-controller').length
    const before = count()
    await systemClock.sleep(300)
    assert.equal(count(), before, JSON.stringify(cluster.writes))
  })
})
