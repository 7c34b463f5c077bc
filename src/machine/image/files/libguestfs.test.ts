import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { componentImages } from '../component-images.ts'
import { parsePackageList } from './libguestfs.ts'

suite('libguestfs in images', () => {
  const planOf = (hasLibguestfs: boolean) => {
    const plans = componentImages('/opt/qemu', { hasLibguestfs })
    return { plan: plans.find(({ name }) => name === 'steadyvm-tasks-disk-virt') ?? assert.fail(), plans }
  }

  test('is in the image of the tasks that start it, and in no other', () => {
    const { plan, plans } = planOf(true)
    assert.equal(plan.program, 'steadyvm-tasks')
    assert.ok(plan.shared.includes('libguestfs'))
    assert.deepEqual(plan.environment, ['LIBGUESTFS_PATH=/usr/lib/steadyvm/appliance', 'LIBGUESTFS_HV=/opt/qemu/bin/qemu-system-x86_64'])
    assert.ok(plans.every(({ name, shared }) => name === plan.name || !shared.includes('libguestfs')))
  })

  test('is left out where the machine has none, and their image stays', () => {
    const { plan, plans } = planOf(false)
    assert.deepEqual(plan.shared, plans.find(({ name }) => name === 'steadyvm-tasks')?.shared)
  })

  test('has packages that supermin lists', () => {
    const list = 'acl_2.3.1-3_amd64\nattr_1:2.5.1-4_amd64\nlibstdc++6_12.2.0-14_amd64\n\ndebugfs 1.47.0\n'
    assert.deepEqual(parsePackageList(list), ['acl', 'attr', 'libstdc++6'])
  })
})
