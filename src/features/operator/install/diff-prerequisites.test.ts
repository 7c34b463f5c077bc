import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { diffCrds } from './diff-prerequisites.ts'

const release = { version: 'v2.0.0', hash: 'two', count: 2 }

function definition(plural: string, group: string, labels: Record<string, string>): CustomResourceDefinition {
  return {
    metadata: { name: `${plural}.${group}`, labels },
    spec: { group, names: { plural, kind: 'A' }, scope: 'Namespaced', versions: [{ name: 'v1', served: true, storage: true }] },
  }
}

suite('diffCrds()', () => {
  const ours = { 'kubevirt.io': '' }
  const wanted = [definition('datavolumes', 'cdi.kubevirt.io', ours), definition('virtualmachines', 'kubevirt.io', ours)]
  const changed = (present: readonly CustomResourceDefinition[]): readonly (string | undefined)[] =>
    diffCrds({ release, wanted, present }).changes.map(({ object }) => object.metadata?.name)

  test('installs the kinds of CDI where nothing else does', () => {
    assert.deepEqual(changed([]), ['datavolumes.cdi.kubevirt.io', 'virtualmachines.kubevirt.io'])
    assert.deepEqual(changed([definition('datavolumes', 'cdi.kubevirt.io', ours)]), [
      'datavolumes.cdi.kubevirt.io',
      'virtualmachines.kubevirt.io',
    ])
  })

  test("leaves all of them to CDI where one is CDI's", () => {
    const present = [definition('cdis', 'cdi.kubevirt.io', { 'operator.cdi.kubevirt.io': '' })]
    assert.deepEqual(changed(present), ['virtualmachines.kubevirt.io'])
    assert.deepEqual(diffCrds({ release, wanted, present }).missing, ['virtualmachines.kubevirt.io'])
  })

  test('leaves VolumeSnapshots alone, also those that an earlier release has installed', () => {
    const { metadata, ...rest } = definition('volumesnapshots', 'snapshot.storage.k8s.io', ours)
    const present = [{ ...rest, metadata: { ...metadata, annotations: { 'steadyvm.io/manifest-hash': 'one/3' } } }]
    assert.deepEqual(diffCrds({ release, wanted, present }).foreign, [])
    assert.ok(!changed(present).includes('volumesnapshots.snapshot.storage.k8s.io'))
  })
})
