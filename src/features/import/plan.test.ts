import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { planImport } from './plan.ts'
import { readExport } from './read-export.ts'

const apiVersion = 'instancetype.kubevirt.io/v1beta1'
const type = (guest: number): KubeObject =>
  ({
    apiVersion,
    kind: 'VirtualMachineClusterInstancetype',
    metadata: { name: 'office' },
    spec: { cpu: { guest }, memory: { guest: '1Gi' } },
  }) as KubeObject
const revision = (guest: number, more: object = {}): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'till-office-1', namespace: 'shop', ...more },
    revision: 0,
    data: type(guest),
  }) as KubeObject
const vm = (revisionName?: string, annotations: object = {}): KubeObject =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'till', namespace: 'shop', uid: 'old', annotations },
    spec: {
      runStrategy: 'Always',
      instancetype: { name: 'office', ...(revisionName === undefined ? {} : { revisionName }) },
      template: { spec: { domain: { devices: {} } } },
    },
  }) as KubeObject

/** Returns `Kind action` for each object, in a cluster with some objects. */
async function planned(exported: readonly KubeObject[], cluster: readonly KubeObject[] = []): Promise<string[]> {
  const client = {
    get: (resource: { readonly kind: string; readonly group: string; readonly plural: string }, { name }: { readonly name: string }) => {
      const object = cluster.find((one) => one.kind === resource.kind && one.metadata?.name === name)
      return object === undefined ? Promise.reject(notFound(resource, name)) : Promise.resolve(object)
    },
  }
  const { steps } = await planImport(client as never, readExport(exported, { keepRunStrategy: false }))
  return steps.map(({ object, action }) => `${object.kind} ${action}`)
}

suite('planImport()', () => {
  test('creates what is not there', async () => {
    assert.deepEqual(await planned([type(2), revision(2), vm('till-office-1')]), [
      'VirtualMachineClusterInstancetype create',
      'ControllerRevision create',
      'VirtualMachine create',
    ])
  })

  test('keeps another instance type of the cluster where revisions hold what the VMs have', async () => {
    assert.deepEqual((await planned([type(2), revision(2), vm('till-office-1')], [type(4)]))[0], 'VirtualMachineClusterInstancetype kept')
    assert.deepEqual((await planned([type(2), vm()], [type(4)]))[0], 'VirtualMachineClusterInstancetype conflict')
    assert.deepEqual((await planned([type(2), vm()], [type(2)]))[0], 'VirtualMachineClusterInstancetype present')
  })

  test('is in the way of a VM or a revision that is another one', async () => {
    assert.deepEqual(await planned([revision(2), vm('till-office-1')], [revision(4), vm()]), [
      'ControllerRevision conflict',
      'VirtualMachine conflict',
    ])
  })

  test('refuses a VM without its revision, and content without its snapshot', async () => {
    assert.deepEqual(await planned([vm('till-office-1')]), ['VirtualMachine create', 'VirtualMachine conflict'])
    const content = {
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshotContent',
      metadata: { name: 'content', namespace: 'shop' },
      spec: { virtualMachineSnapshotName: 'gone', source: {} },
    } as KubeObject
    assert.deepEqual(await planned([content]), ['VirtualMachineSnapshotContent conflict'])
  })

  test('can be repeated, also when the revision was replaced since', async () => {
    const owned = revision(2, { ownerReferences: [{ uid: 'old', kind: 'VirtualMachine' }] })
    const imported = vm('till-office-1', { 'steadyvm.io/imported-from': 'old' })
    assert.deepEqual(await planned([owned, vm('till-office-1')], [imported]), ['ControllerRevision present', 'VirtualMachine present'])
  })
})
