import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { changeableResource, ClusterState } from './cluster-state.ts'

const vm = (name: string, label: string): KubeObject => ({ metadata: { name, namespace: 'a', labels: { label } } })
const labelOf = (cluster: ClusterState, name: string): unknown =>
  cluster.get(virtualMachines, { namespace: 'a', name })?.metadata.labels?.['label']

suite('ClusterState', () => {
  test('is not mutated when another state is derived from it', () => {
    const cluster = ClusterState.of([[virtualMachines, [vm('web', 'old')]]])
    const other = cluster.with([
      [virtualMachines, vm('web', 'new')],
      [virtualMachines, vm('db', 'new')],
    ])
    assert.deepEqual([labelOf(cluster, 'web'), cluster.list(virtualMachines).length], ['old', 1])
    assert.deepEqual([labelOf(other, 'web'), other.list(virtualMachines).length], ['new', 2])
  })

  test('reads like the API: a missing object is NotFound', async () => {
    const { client } = ClusterState.of([]).lookup
    await assert.rejects(client.get(virtualMachines, { namespace: 'a', name: 'web' }), { reason: 'NotFound' })
  })
})

suite('changeableResource()', () => {
  const rows = [
    ['kubevirt.io/v1', 'VirtualMachine', true],
    ['kubevirt.io/v1alpha3', 'VirtualMachine', true],
    ['kubevirt.io/v1', 'VirtualMachineInstance', false],
    ['example.com/v1', 'VirtualMachine', false],
    [undefined, undefined, false],
  ] as const
  for (const [apiVersion, kind, isKnown] of rows) {
    test(`${isKnown ? 'finds' : 'does not find'} the resource of ${kind} in ${apiVersion}`, () => {
      assert.equal(changeableResource(apiVersion, kind) !== undefined, isKnown)
    })
  }
})
