import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { HistoryEntry } from '#features/instancetype/index.ts'
import { chooseRevision, matcherFor, NoSuchRevision, numberEntries, refreshPatch } from './rollout.ts'

const kind = 'VirtualMachineClusterInstancetype'

function vmWith(instancetype?: object, preference?: object): VirtualMachine {
  const matchers = { ...(instancetype === undefined ? {} : { instancetype }), ...(preference === undefined ? {} : { preference }) }
  return { metadata: { name: 'web', namespace: 'a' }, spec: { ...matchers, template: { spec: { domain: { devices: {} } } } } }
}

function entry(revision: string, rest: Partial<HistoryEntry> = {}): HistoryEntry {
  const base = { family: 'instancetype', kind, name: 'small', generation: 1, uid: 'u', createdAt: undefined } as const
  return { ...base, revision, inForce: false, running: false, spec: {}, changes: [], ...rest }
}

const history = numberEntries([entry('c'), entry('b', { inForce: true }), entry('a'), entry('p', { family: 'preference', inForce: true })])
const vm = vmWith({ name: 'small' }, { name: 'linux' })

suite('chooseRevision()', () => {
  const rows = [
    [{}, 'a'],
    [{ to: '3' }, 'c'],
    [{ to: 'c' }, 'c'],
    [{ to: 'p' }, 'p'],
    [{ to: '1', family: 'preference' }, 'p'],
  ] as const
  for (const [request, revision] of rows) {
    test(`finds ${revision} for ${JSON.stringify(request)}`, () => assert.equal(chooseRevision(vm, history, request).revision, revision))
  }
  for (const request of [{ to: '4' }, { to: 'x' }, { family: 'preference' as const }]) {
    test(`refuses ${JSON.stringify(request)}`, () => assert.throws(() => chooseRevision(vm, history, request), NoSuchRevision))
  }
})

suite('matcherFor()', () => {
  test("keeps the user's spelling for the same object, and writes another one in full", () => {
    const own = vmWith({ name: 'small', kind: 'virtualmachineclusterinstancetypes' })
    assert.deepEqual(matcherFor(own, entry('a')), { name: 'small', kind: 'virtualmachineclusterinstancetypes', revisionName: 'a' })
    assert.deepEqual(matcherFor(vm, entry('a', { name: 'large' })), { name: 'large', kind, revisionName: 'a' })
    assert.deepEqual(matcherFor(vmWith({ name: 'small', kind: 'VirtualMachineInstancetype' }), entry('a')), {
      name: 'small',
      kind,
      revisionName: 'a',
    })
  })
})

suite('refreshPatch()', () => {
  test('requests the refresh, and removes the pins of the spec', () => {
    const asked = { metadata: { annotations: { 'steadyvm.io/refresh': 'now' } } }
    assert.deepEqual(refreshPatch(vm, 'now'), asked)
    const pinned = vmWith({ name: 'small', revisionName: 'a' }, { name: 'linux' })
    assert.deepEqual(refreshPatch(pinned, 'now'), { ...asked, spec: { instancetype: { revisionName: null } } })
  })
})
