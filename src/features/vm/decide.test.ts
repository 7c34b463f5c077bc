import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineSpec, VirtualMachineStateChangeRequest, VirtualMachineStatus } from '#api/kubevirt/v1/virtual-machine.ts'
import { decide } from './decide.ts'
import { startDelaySeconds } from './start/backoff.ts'
import { vmiWith, vmWith } from './vm.fixture.ts'

type Strategy = NonNullable<VirtualMachineSpec['runStrategy']>
const start: VirtualMachineStateChangeRequest = { action: 'Start' }
const stop: VirtualMachineStateChangeRequest = { action: 'Stop', uid: 'vmi-uid' }
const ran = [{ phase: 'Running' as const }]
const running = vmiWith({ phase: 'Running', phaseTransitionTimestamps: ran })
const succeeded = vmiWith({ phase: 'Succeeded', phaseTransitionTimestamps: ran })
const refused = vmiWith({
  phase: 'Scheduled',
  conditions: [{ type: 'steadyvm.io/HardwareChanged', status: 'True', reason: 'Refused' }] as never,
})
const failed = vmiWith({ phase: 'Failed', phaseTransitionTimestamps: ran })

interface Row {
  readonly strategy: Strategy
  readonly vmi?: VirtualMachineInstance
  readonly requests?: VirtualMachineStateChangeRequest[]
  readonly recorded?: Strategy
  /** Reports whether the VM's spec differs from what the guest was started from. */
  readonly isOther?: boolean
  readonly action: string
  readonly left?: VirtualMachineStateChangeRequest[]
  readonly reason: string
}

const rows: readonly Row[] = [
  { strategy: 'Always', action: 'start', reason: 'the strategy is Always' },
  { strategy: 'Always', vmi: running, action: 'none', reason: 'it runs' },
  { strategy: 'Always', vmi: succeeded, action: 'stop', reason: 'an ended guest is replaced' },
  { strategy: 'Always', vmi: failed, action: 'stop', reason: 'a failed guest is replaced' },
  { strategy: 'Always', vmi: running, requests: [stop, start], action: 'stop', left: [stop, start], reason: 'a restart was requested' },
  { strategy: 'Always', vmi: refused, action: 'none', reason: "it waits for the owner's acceptance" },
  { strategy: 'Always', vmi: refused, isOther: true, action: 'stop', reason: 'its owner has reverted the refused change' },
  { strategy: 'Manual', vmi: refused, isOther: true, action: 'none', reason: 'its owner has to start it' },
  { strategy: 'Always', vmi: running, isOther: true, action: 'none', reason: 'it runs, and a restart would end it' },
  {
    strategy: 'Always',
    vmi: running,
    requests: [{ action: 'Stop', uid: 'other' }],
    action: 'none',
    left: [],
    reason: 'the request is for another guest',
  },
  { strategy: 'Always', requests: [stop, start], action: 'start', left: [start], reason: 'the guest to stop is gone' },
  { strategy: 'RerunOnFailure', action: 'start', reason: 'the strategy was just set' },
  { strategy: 'RerunOnFailure', recorded: 'RerunOnFailure', action: 'none', reason: 'its guest has succeeded' },
  {
    strategy: 'RerunOnFailure',
    recorded: 'RerunOnFailure',
    requests: [start],
    action: 'start',
    left: [start],
    reason: 'a start was requested',
  },
  { strategy: 'RerunOnFailure', vmi: succeeded, action: 'stop', reason: 'the guest ended' },
  { strategy: 'RerunOnFailure', vmi: failed, action: 'stop', left: [start], reason: 'a failed guest is restarted' },
  { strategy: 'RerunOnFailure', vmi: failed, requests: [start], action: 'stop', left: [start], reason: 'a start is already requested' },
  { strategy: 'Manual', action: 'none', reason: 'there is no start request' },
  { strategy: 'Manual', requests: [start], action: 'start', left: [start], reason: 'a start was requested' },
  { strategy: 'Manual', vmi: running, requests: [start], action: 'none', left: [], reason: 'it already runs' },
  { strategy: 'Manual', vmi: running, requests: [stop], action: 'stop', left: [stop], reason: 'a stop was requested' },
  { strategy: 'Manual', vmi: succeeded, action: 'none', reason: 'the ended guest is kept' },
  { strategy: 'Halted', vmi: running, action: 'stop', reason: 'the strategy is Halted' },
  { strategy: 'Halted', action: 'none', reason: 'it does not run' },
  { strategy: 'Once', action: 'start', reason: 'it has not run' },
  { strategy: 'Once', vmi: succeeded, action: 'none', reason: 'the ended guest proves that it ran' },
  { strategy: 'Once', vmi: failed, action: 'none', reason: 'it runs only once' },
]

suite('decide()', () => {
  for (const { strategy, vmi, requests, recorded, isOther = false, action, left, reason } of rows) {
    test(`returns ${action} for ${strategy} with ${vmi?.status?.phase ?? 'no guest'}: ${reason}`, () => {
      const status: VirtualMachineStatus = {
        ...(requests === undefined ? {} : { stateChangeRequests: requests }),
        ...(recorded === undefined ? {} : { runStrategy: recorded }),
        ...(isOther ? { conditions: [{ type: 'RestartRequired', status: 'True' }] } : {}),
      }
      const decision = decide({ vm: vmWith({ runStrategy: strategy }, status), vmi }, 0, 0)
      assert.equal(decision.action.kind, action, reason)
      assert.deepEqual(decision.stateChangeRequests, left ?? [], reason)
    })
  }

  test('reads the deprecated field running', () => {
    assert.equal(decide({ vm: vmWith({ running: true }), vmi: undefined }, 0, 0).action.kind, 'start')
    assert.equal(decide({ vm: vmWith({ running: false }), vmi: running }, 0, 0).action.kind, 'stop')
  })

  test('starts paused when the start request has the option', () => {
    const vm = vmWith({ runStrategy: 'Manual' }, { stateChangeRequests: [{ action: 'Start', data: { paused: 'true' } }] })
    assert.deepEqual(decide({ vm, vmi: undefined }, 0, 0).action, { kind: 'start', paused: true })
  })

  test('stops the guest before a deleted VM is released', () => {
    const vm = vmWith({ runStrategy: 'Always' }, undefined, true)
    assert.equal(decide({ vm, vmi: running }, 0, 0).action.kind, 'stop')
    assert.equal(decide({ vm, vmi: vmiWith({ phase: 'Running' }, true) }, 0, 0).action.kind, 'none')
    assert.equal(decide({ vm, vmi: undefined }, 0, 0).action.kind, 'release')
    const orphaning = { ...vm, metadata: { ...vm.metadata, finalizers: ['orphan'] } }
    assert.equal(decide({ vm: orphaning, vmi: running }, 0, 0).action.kind, 'release')
  })

  test('waits longer with each guest that failed before it ran, and counts each once', () => {
    const neverRan = vmiWith({ phase: 'Failed' })
    const first = decide({ vm: vmWith({ runStrategy: 'Always' }), vmi: neverRan }, 0, 0)
    assert.deepEqual(first.startFailure, {
      consecutiveFailCount: 1,
      lastFailedVMIUID: 'vmi-uid',
      retryAfterTimestamp: '1970-01-01T00:00:10Z',
    })
    const status: VirtualMachineStatus = { startFailure: first.startFailure ?? null }
    assert.deepEqual(decide({ vm: vmWith({ runStrategy: 'Always' }, status), vmi: neverRan }, 5_000, 0).startFailure, first.startFailure)
    assert.deepEqual(decide({ vm: vmWith({ runStrategy: 'Always' }, status), vmi: undefined }, 4_000, 0).action, {
      kind: 'wait',
      ms: 6_000,
    })
    assert.equal(decide({ vm: vmWith({ runStrategy: 'Always' }, status), vmi: undefined }, 10_000, 0).action.kind, 'start')
    assert.equal(decide({ vm: vmWith({ runStrategy: 'Always' }, status), vmi: running }, 0, 0).startFailure, undefined)
    assert.equal(decide({ vm: vmWith({ runStrategy: 'Halted' }, status), vmi: undefined }, 0, 0).startFailure, undefined)
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7].map((count) => startDelaySeconds(count, 0)),
      [10, 40, 90, 160, 250, 300, 300],
    )
  })
})
