import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import type { VirtualMachineClone, VirtualMachineCloneSpec } from '#api/clone/v1beta1/virtual-machine-clone.ts'
import { events } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineRestores, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { applyJsonPatch, type JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { found, startTestCluster, until } from '#features/cluster.fixture.ts'
import { validateClone } from './admission.ts'
import { patchesOf } from './patches.ts'

const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }
const namespace = 'default'

function cloneOf(spec: Partial<VirtualMachineCloneSpec>): VirtualMachineClone {
  return { metadata: { name: 'twin', namespace }, spec: { source, ...spec } }
}

const web: VirtualMachine = {
  metadata: { name: 'web', labels: { app: 'web', 'team/a': '1', 'team/b': '2' }, annotations: { note: 'x' } },
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { labels: { app: 'web', secret: 'y' } },
      spec: {
        domain: {
          firmware: { uuid: 'u', serial: 's' },
          devices: { interfaces: [{ name: 'one', macAddress: '02:00:00:00:00:01' }, { name: 'two' }] },
        },
      },
    },
  },
}

function patched(spec: Partial<VirtualMachineCloneSpec>): VirtualMachine {
  const operations = patchesOf(cloneOf(spec), web).flatMap((patch) => JSON.parse(patch) as JsonPatchOperation)
  return applyJsonPatch(web, operations) as VirtualMachine
}

suite('a clone', () => {
  test('has its own MAC addresses and firmware UUID', () => {
    const { firmware, devices } = patched({}).spec.template.spec.domain
    assert.deepEqual([firmware, devices.interfaces], [{}, [{ name: 'one' }, { name: 'two' }]])
    const wanted = patched({ newMacAddresses: { two: '02:00:00:00:00:02' }, newSMBiosSerial: 'mine' }).spec.template.spec.domain
    assert.deepEqual(wanted.firmware, { serial: 'mine' })
    assert.deepEqual(wanted.devices.interfaces, [{ name: 'one' }, { name: 'two', macAddress: '02:00:00:00:00:02' }])
  })

  const filters = [
    { reason: 'all without filters', labelFilters: undefined, labels: ['app', 'team/a', 'team/b'] },
    { reason: 'all with a star', labelFilters: ['*'], labels: ['app', 'team/a', 'team/b'] },
    { reason: 'what matches', labelFilters: ['team/.*'], labels: ['team/a', 'team/b'] },
    { reason: 'all except excluded ones, in any order', labelFilters: ['!team/a', '*'], labels: ['app', 'team/b'] },
    { reason: 'none when nothing is asked for', labelFilters: [], labels: [] },
    { reason: 'none with exclusions only, as in KubeVirt', labelFilters: ['!app'], labels: [] },
  ]
  for (const { reason, labelFilters, labels } of filters) {
    test(`copies ${reason}`, () =>
      assert.deepEqual(Object.keys(patched(labelFilters === undefined ? {} : { labelFilters }).metadata.labels ?? {}), labels))
  }

  test('also filters the template, and applies the patches of the user last', () => {
    const patches = ['{"op":"add","path":"/metadata/labels/is","value":"new"}']
    const vm = patched({ template: { labelFilters: ['app'] }, annotationFilters: ['!note'], patches })
    assert.deepEqual([vm.spec.template.metadata?.labels, vm.metadata.annotations, vm.metadata.labels?.['is']], [{ app: 'web' }, {}, 'new'])
  })
})

suite('validateClone()', () => {
  const target = { ...source, name: 'twin' }
  const rows: readonly { reason: string; spec: Partial<VirtualMachineCloneSpec>; fields: readonly string[] }[] = [
    { reason: 'of a VM', spec: { target }, fields: [] },
    { reason: 'that leaves the name open', spec: {}, fields: [] },
    {
      reason: 'of a snapshot',
      spec: { source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 's' } },
      fields: [],
    },
    { reason: 'of something else', spec: { source: { ...source, kind: 'Pod' } }, fields: ['spec.source.kind'] },
    { reason: 'of another group', spec: { source: { ...source, apiGroup: 'x' } }, fields: ['spec.source.apiGroup'] },
    { reason: 'of nothing', spec: { source: { ...source, name: '' } }, fields: ['spec.source.name'] },
    { reason: 'to its own source', spec: { target: source }, fields: ['spec.target.name'] },
    { reason: 'to an invalid VM name', spec: { target: { ...target, name: 'Bad_Name' } }, fields: ['spec.target.name'] },
    { reason: 'to something else', spec: { target: { ...target, kind: 'Pod' } }, fields: ['spec.target.kind'] },
    { reason: 'with an invalid filter', spec: { labelFilters: ['*', '!('] }, fields: ['spec.labelFilters[1]'] },
    {
      reason: 'with a patch of its name',
      spec: { patches: ['{"op":"replace","path":"/metadata/name","value":"x"}'] },
      fields: ['spec.patches[0]'],
    },
    { reason: 'with an invalid address', spec: { newMacAddresses: { one: 'xx' } }, fields: ['spec.newMacAddresses.one'] },
  ]
  for (const { reason, spec, fields } of rows) {
    test(`judges a clone ${reason}`, () =>
      assert.deepEqual(
        validateClone(cloneOf(spec), undefined).map(({ field }) => field),
        fields,
      ))
  }

  test('refuses changes of the spec', () => assert.equal(validateClone(cloneOf({ target }), cloneOf({})).length, 1))
})

suite('cloning', () => {
  const disk = { name: 'data', persistentVolumeClaim: { claimName: 'data' } }

  test('generates the name of an unnamed target, and leaves no temporary objects', async () => {
    await using cluster = await startTestCluster()
    cluster.start('virt-controller')
    await cluster.client.create(virtualMachines, {
      ...web,
      metadata: { ...web.metadata, namespace },
      spec: { ...web.spec, runStrategy: 'Halted' },
    })
    await cluster.client.create(virtualMachineClones, cloneOf({ labelFilters: ['app'] }))
    const clone = await until(async () => {
      const twin = await found(cluster.client, virtualMachineClones, 'twin')
      return twin?.status?.phase === 'Succeeded' ? twin : undefined
    })
    const vm = await cluster.client.get(virtualMachines, { namespace, name: clone.status?.targetName ?? '' })
    assert.deepEqual([vm.metadata.labels, vm.spec.runStrategy], [{ app: 'web' }, 'Halted'])
    const told = ['SnapshotCreated', 'SnapshotReady', 'RestoreCreated', 'RestoreReady', 'TargetVMCreated', 'VMCloneSucceeded']
    await until(async () => {
      const { items } = await cluster.client.list(events, { namespace })
      const reasons = items.filter(({ involvedObject }) => involvedObject.kind === 'VirtualMachineClone').map(({ reason }) => reason)
      return told.every((reason) => reasons.filter((one) => one === reason).length === 1)
    })
    for (const resource of [virtualMachineSnapshots, virtualMachineRestores])
      await until(async () => (await cluster.client.list<object>(resource, { namespace })).items.length === 0)
  })

  test('refuses to share a disk between two VMs', async () => {
    await using cluster = await startTestCluster()
    cluster.start('virt-controller')
    const spec = { ...web.spec, runStrategy: 'Halted' as const, template: { spec: { domain: { devices: {} }, volumes: [disk] } } }
    await cluster.client.create(virtualMachines, { metadata: { name: 'web', namespace }, spec })
    await cluster.client.create(virtualMachineClones, cloneOf({ target: { ...source, name: 'twin' } }))
    await until(async () => (await found(cluster.client, virtualMachineClones, 'twin'))?.status?.phase === 'Failed')
    assert.equal(await found(cluster.client, virtualMachines, 'twin'), undefined)
    await until(async () => (await cluster.client.list(virtualMachineSnapshots, { namespace })).items.length === 0)
  })
})
