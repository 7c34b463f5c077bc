import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { decide } from './decide.ts'
import { sharedRevision } from './collectable-revision.fixture.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const minute = 60_000

const revision = (name: string, metadata: Partial<ControllerRevision['metadata']> = {}): ControllerRevision =>
  sharedRevision(`shared-${name}`, metadata)

const claimed = (time: string): Partial<ControllerRevision['metadata']> => ({
  creationTimestamp: '2026-01-01T00:00:00Z',
  annotations: { 'steadyvm.io/claimed-at': `2026-01-01T${time}Z` },
})

const rows = [
  { reason: 'nothing is shared', shared: [], suspects: [], recheckMs: undefined },
  { reason: 'it is referenced', shared: [revision('named', claimed('01:00:00'))], suspects: [], recheckMs: 10 * minute },
  { reason: 'the claim has expired', shared: [revision('a', claimed('11:49:59'))], suspects: ['shared-a'], recheckMs: 10 * minute },
  { reason: 'the claim expires now', shared: [revision('a', claimed('11:50:00'))], suspects: [], recheckMs: 1 },
  {
    reason: 'one of two claims expires first',
    shared: [revision('a', claimed('11:58:00')), revision('b', claimed('11:53:00')), revision('c', claimed('11:00:00'))],
    suspects: ['shared-c'],
    recheckMs: 3 * minute + 1,
  },
  {
    reason: 'it was never claimed: its creation counts',
    shared: [revision('a', { creationTimestamp: '2026-01-01T11:55:00Z' }), revision('b', { creationTimestamp: '2026-01-01T11:00:00Z' })],
    suspects: ['shared-b'],
    recheckMs: 5 * minute + 1,
  },
  {
    reason: 'the claim is no timestamp',
    shared: [revision('a', { annotations: { 'steadyvm.io/claimed-at': 'soon' } })],
    suspects: ['shared-a'],
    recheckMs: 10 * minute,
  },
  {
    reason: 'it is being deleted',
    shared: [revision('a', { ...claimed('11:00:00'), deletionTimestamp: '2026-01-01T11:59:00Z' })],
    suspects: [],
    recheckMs: 10 * minute,
  },
  {
    reason: 'its name is not that of a capture',
    shared: [sharedRevision('mine', claimed('01:00:00'))],
    suspects: [],
    recheckMs: 10 * minute,
  },
  {
    reason: 'its labels do not match its data',
    shared: [revision('a', { ...claimed('01:00:00'), labels: { 'instancetype.kubevirt.io/object-name': 'large' } })],
    suspects: [],
    recheckMs: 10 * minute,
  },
  {
    reason: 'it has an owner',
    shared: [revision('a', { ...claimed('01:00:00'), ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: 'm' }] })],
    suspects: [],
    recheckMs: 10 * minute,
  },
  {
    reason: 'it has other content',
    shared: [{ ...revision('a', claimed('01:00:00')), data: { spec: {} } }],
    suspects: [],
    recheckMs: 10 * minute,
  },
] as const

suite('decide()', () => {
  for (const { reason, shared, suspects, recheckMs } of rows) {
    test(`returns ${suspects.length} candidates: ${reason}`, () => {
      const decision = decide(shared, ({ metadata }) => metadata.name === 'shared-named', now)
      assert.deepEqual(
        decision.candidates.map(({ metadata }) => metadata.name),
        suspects,
      )
      assert.equal(decision.recheckMs, recheckMs)
    })
  }
})
