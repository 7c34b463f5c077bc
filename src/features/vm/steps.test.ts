import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Expansion } from '#features/instancetype/index.ts'
import type { Action } from './decide.ts'
import type { Classification } from './live-update/classify.ts'
import { unprepared } from './revisions/prepare.ts'
import { stepsOf, type Pass } from './steps.ts'
import { vmWith, vmiWith } from './vm.fixture.ts'

const vmi = vmiWith({ phase: 'Running' })
const migrating: VirtualMachineInstance = vmiWith({ phase: 'Running', migrationState: { startTimestamp: '2026-01-01T00:00:00Z' } })
const dumped: VirtualMachineInstance = { ...vmi, spec: { ...vmi.spec, volumes: [{ name: 'dump', memoryDump: { claimName: 'dump' } }] } }
const expansion = { vmi, conflicts: [] } as unknown as Expansion
const failure = { reason: 'FailedFindInstancetype', message: 'no' }
const live = { kind: 'live', fields: [{ path: 'spec.domain.cpu.sockets', old: 1, new: 2, effect: 'live' }] } as unknown as Classification

function passOf(action: Action, changes: Partial<Pass>): Pass {
  const decision = { action, stateChangeRequests: [], startFailure: undefined }
  return { ...unprepared(vmWith({})), expansion, vmi: undefined, classification: undefined, isSettled: true, decision, ...changes }
}

const cases: readonly [string, string, Action, Partial<Pass>][] = [
  ['reports a started VM with its VMI', 'start report prune', { kind: 'start', paused: false }, {}],
  ['does not start a VM that cannot be prepared', 'report prune', { kind: 'start', paused: false }, { expansion: undefined, failure }],
  ['reports before the VMI with the reason is deleted', 'report stop prune', { kind: 'stop', vmi }, { vmi }],
  ['does not report a VM that is about to be removed', 'release', { kind: 'release' }, { isSettled: false }],
  ['prunes nothing of a VM that is being deleted or restored', 'report stop', { kind: 'stop', vmi }, { vmi, isSettled: false }],
  ['waits', 'report prune', { kind: 'wait', ms: 1 }, {}],
  ['does not update an unchanged guest', 'report prune', { kind: 'none' }, { vmi, classification: { kind: 'unchanged', fields: [] } }],
  ['updates a guest before it reports', 'updateLive report prune', { kind: 'none' }, { vmi, classification: live }],
  ['postpones the update of a migrating guest', 'postponeUpdate report prune', { kind: 'none' }, { vmi: migrating, classification: live }],
  ['updates no guest that is about to stop', 'report stop prune', { kind: 'stop', vmi }, { vmi, classification: live }],
  ['looks at a dump before it reports', 'dumpMemory report prune', { kind: 'none' }, { vmi: dumped }],
  ['looks at a dump after a live update', 'updateLive dumpMemory report prune', { kind: 'none' }, { vmi: dumped, classification: live }],
  ['dumps no guest of a VM that is being deleted or restored', 'report stop', { kind: 'stop', vmi }, { vmi: dumped, isSettled: false }],
  ['deletes start revisions once there is no VMI', 'report deleteStartRevisions prune', { kind: 'none' }, {}],
  ['keeps start revisions of a VM that is being restored', 'report', { kind: 'none' }, { isSettled: false }],
]

suite('stepsOf()', () => {
  for (const [title, expected, action, changes] of cases) {
    test(title, () => {
      const steps = stepsOf(passOf(action, changes))
      assert.equal(steps.map(({ kind }) => kind).join(' '), expected)
    })
  }
})
