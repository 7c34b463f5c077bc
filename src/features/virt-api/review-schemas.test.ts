import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reviewSchema } from './review-schemas.ts'

test('reviewSchema() returns the schemas of reviewed kinds only', async () => {
  for (const [group, version, kind, known] of [
    ['kubevirt.io', 'v1', 'VirtualMachine', true],
    ['kubevirt.io', 'v1', 'KubeVirt', true],
    ['instancetype.kubevirt.io', 'v1beta1', 'VirtualMachineClusterPreference', true],
    ['snapshot.kubevirt.io', 'v1beta1', 'VirtualMachineSnapshot', true],
    ['clone.kubevirt.io', 'v1beta1', 'VirtualMachineClone', true],
    ['migrations.kubevirt.io', 'v1alpha1', 'MigrationPolicy', true],
    ['policy', 'v1', 'PodDisruptionBudget', true],
    ['kubevirt.io', 'v1', 'constructor', false],
    ['example.com', 'v1', 'VirtualMachine', false],
  ] as const) {
    assert.equal((await reviewSchema({ group, version, kind })) !== undefined, known, `${group}/${kind}`)
  }
})
