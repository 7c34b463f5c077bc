import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance, VirtualMachineInstanceCondition } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import {
  hasRequestedSize,
  isPluggingMemory,
  isPluggingSockets,
  hotplugCapacityCondition,
  pendingMemoryCondition,
  pendingSocketsCondition,
  hotplugObstacle,
} from './hotplug.ts'

const gibibyte = 2 ** 30

function vmiWith(
  condition: VirtualMachineInstanceCondition | undefined,
  status: VirtualMachineInstance['status'] = {},
): VirtualMachineInstance {
  const conditions = condition === undefined ? [] : [condition]
  const spec = { domain: { devices: {}, cpu: { sockets: 2 }, memory: { guest: '2Gi' } } }
  return { metadata: { name: 'web' }, spec, status: { ...status, conditions } }
}

suite('a hotplug that is pending', () => {
  test('is completed by a migration, as in KubeVirt', () => {
    assert.equal(isPluggingSockets(vmiWith({ type: 'HotVCPUChange', status: 'True' })), true)
    assert.equal(isPluggingMemory(vmiWith({ type: 'HotMemoryChange', status: 'True' })), true)
    const wait = pendingMemoryCondition({ requestedBytes: 1, bytes: 1 }, undefined, { reason: 'PodTooSmall', message: 'no room' })
    assert.equal(isPluggingMemory(vmiWith(wait)), true)
  })

  test('needs no migration when it waits for a restart or the guest, or has failed', () => {
    assert.equal(isPluggingSockets(vmiWith(pendingSocketsCondition(vmiWith(undefined), { plugged: 1, idleVcpus: 0 }, 'no room'))), false)
    const idle = pendingSocketsCondition(vmiWith(undefined), { plugged: 2, idleVcpus: 1 }, '')
    assert.match(idle?.message ?? '', /^the guest has not brought 1 plugged vCPU online yet/)
    assert.equal(isPluggingSockets(vmiWith(idle)), false)
    assert.equal(isPluggingMemory(vmiWith(pendingMemoryCondition({ requestedBytes: 2 * gibibyte, bytes: gibibyte }))), false)
    assert.equal(isPluggingMemory(vmiWith(pendingMemoryCondition({ requestedBytes: gibibyte, bytes: gibibyte }, 'no block'))), false)
    const wait = pendingMemoryCondition({ requestedBytes: 1, bytes: 1 }, undefined, { reason: 'WaitsForPod', message: '' })
    assert.equal(isPluggingMemory(vmiWith(wait)), false)
  })

  test('is complete when the guest has the requested size, in any notation', () => {
    const topology = (sockets: number): VirtualMachineInstance['status'] => ({ currentCPUTopology: { sockets, cores: 1, threads: 1 } })
    assert.equal(hasRequestedSize(vmiWith(undefined)), true)
    assert.equal(hasRequestedSize(vmiWith(undefined, topology(1))), false)
    assert.equal(hasRequestedSize(vmiWith(undefined, { ...topology(2), memory: { guestRequested: '2048Mi' } })), true)
    assert.equal(hasRequestedSize(vmiWith(undefined, { ...topology(2), memory: { guestRequested: '1Gi' } })), false)
  })

  test('can be blocked for one resource only, with a reason', () => {
    const why = (lack: Parameters<typeof hotplugCapacityCondition>[0]): (string | undefined)[] => {
      const { status } = vmiWith(hotplugCapacityCondition(lack))
      return [hotplugObstacle(status, 'sockets'), hotplugObstacle(status, 'memory')]
    }
    assert.deepEqual(why({}), [undefined, undefined])
    assert.deepEqual(why({ sockets: 'a' }), ['the guest cannot be given sockets while it runs: a', undefined])
    assert.deepEqual(why({ memory: 'b' }), [undefined, 'the guest cannot be given memory while it runs: b'])
    const both = 'the guest cannot be given sockets while it runs: a; the guest cannot be given memory while it runs: b'
    assert.deepEqual(why({ sockets: 'a', memory: 'b' }), [both, both])
  })
})
