import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findCondition } from '#apimachinery/conditions.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceStatus } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { endedStatus, livingStatus } from './guest-status.ts'

const now = '2026-01-01T00:00:00Z'
const record = {
  domain: {
    machine: { type: 'pc-q35-7.2', accelerator: 'tcg' },
    cpu: { sockets: 2, cores: 1, threads: 1 },
    memory: { bytes: 2 ** 30 },
    interfaces: [],
  },
} as unknown as LaunchRecord

function vmiWith(sockets: number, status: Partial<VirtualMachineInstanceStatus> = {}): VirtualMachineInstance {
  return {
    metadata: { name: 'web' },
    spec: { domain: { devices: {}, cpu: { sockets } } },
    status: { phase: 'Running', ...status },
  } as VirtualMachineInstance
}

const living = (vmi: VirtualMachineInstance): Partial<VirtualMachineInstanceStatus> =>
  livingStatus(vmi, record, { runState: 'running', acceleratorReason: 'for tests', now })

suite('what a VMI says of a guest that lives', () => {
  test('is what the guest was launched with, and what is missing of that which its VMI asks for by now', () => {
    const status = living(vmiWith(4))
    assert.deepEqual(status.currentCPUTopology, { sockets: 2, cores: 1, threads: 1 })
    const missing = findCondition(status.conditions, 'HotVCPUChange')
    assert.equal(missing?.status, 'True')
    assert.match(missing?.message ?? '', /^the guest has 2 sockets until it starts again/)
  })

  test('is nothing of what is missing any more, when nothing is or the guest has ended', () => {
    const { conditions } = living(vmiWith(4))
    const shown = vmiWith(2, conditions === undefined ? {} : { conditions })
    const ended = endedStatus(shown, { phase: 'Succeeded', reason: 'GuestShutdown', message: 'the guest powered off' }, now)
    for (const status of [living(shown), ended]) assert.equal(findCondition(status.conditions, 'HotVCPUChange'), undefined)
  })
})
