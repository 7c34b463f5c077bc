import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { firmwareUuidOf } from './firmware-uuid.ts'
import { readExport } from './read-export.ts'

const uid = '11111111-0000-4000-8000-000000000003'
const vmWith = (spec: object, more: object = {}): KubeObject =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'till', namespace: 'shop', uid, resourceVersion: '7', finalizers: ['kubevirt.io/a'], labels: { app: 'till' } },
    spec: { runStrategy: 'Always', template: { spec: { domain: { devices: {} } } }, ...spec },
    ...more,
  }) as KubeObject

const importOf = (objects: readonly KubeObject[], keepRunStrategy = false): ReturnType<typeof readExport> =>
  readExport(objects, { keepRunStrategy })

suite('readExport()', () => {
  test('removes what belongs to the other cluster, and halts VMs', () => {
    const [vm] = importOf([vmWith({})]).vms
    assert.deepEqual(vm?.metadata, {
      name: 'till',
      namespace: 'shop',
      labels: { app: 'till' },
      annotations: { 'steadyvm.io/imported-from': uid, 'steadyvm.io/imported-run-strategy': 'Always' },
    })
    assert.equal(vm?.spec.runStrategy, 'Halted')
    assert.equal(vm?.spec.template.spec.domain.firmware?.uuid, firmwareUuidOf('till'))
  })

  test('keeps the run strategy when it is asked to, also the old form', () => {
    assert.equal(importOf([vmWith({})], true).vms[0]?.spec.runStrategy, 'Always')
    const [old] = importOf([vmWith({ running: true, runStrategy: undefined })], true).vms
    assert.deepEqual([old?.spec.running, old?.spec.runStrategy], [undefined, 'Always'])
  })

  test('keeps a firmware UUID', () => {
    const template = { spec: { domain: { devices: {}, firmware: { uuid: 'own' } } } }
    assert.equal(importOf([vmWith({ template })]).vms[0]?.spec.template.spec.domain.firmware?.uuid, 'own')
  })

  test('names the revision of spec or status', () => {
    const named = vmWith({ instancetype: { name: 'office', revisionName: 'a' }, preference: { name: 'linux' } })
    const status = { preferenceRef: { controllerRevisionRef: { name: 'b' } } }
    const [vm] = importOf([{ ...named, status } as KubeObject]).vms
    assert.deepEqual([vm?.spec.instancetype?.revisionName, vm?.spec.preference?.revisionName], ['a', 'b'])
  })

  test('converts instance types, and names what it does not import', () => {
    const spec = { cpu: { guest: 1 }, memory: { guest: '1Gi' } }
    const metadata = { name: 'office', namespace: 'shop' }
    const { hardware, skipped, revisions } = importOf([
      { apiVersion: 'instancetype.kubevirt.io/v1alpha1', kind: 'VirtualMachineInstancetype', metadata, spec } as KubeObject,
      { apiVersion: 'v1', kind: 'Service', metadata } as KubeObject,
      { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { ...metadata, name: 'revision-start-vm-1' } } as KubeObject,
    ])
    assert.deepEqual(hardware, [{ apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachineInstancetype', metadata, spec }])
    assert.deepEqual([revisions, skipped], [[], ['Service shop/office', 'ControllerRevision shop/revision-start-vm-1']])
  })

  // Computed by KubeVirt's code.
  test('derives the firmware UUID of KubeVirt', () => assert.equal(firmwareUuidOf('vm'), 'd633a622-2335-5606-93ae-d432b7c7f2d2'))
})
