import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { instancetypeOf, preferenceOf, vmOf, revisionOf } from '../instancetype.fixture.ts'
import type { Instancetype, Preference } from '../types.ts'
import { changesBetween } from './diff.ts'
import { revisionHistory } from '../index.ts'

function pinned(object: Instancetype | Preference, createdAt: string, generation = 1): ControllerRevision {
  const revision = revisionOf(vmOf(), { ...object, metadata: { ...object.metadata, generation } } as Instancetype)
  return { ...revision, metadata: { ...revision.metadata, creationTimestamp: createdAt } }
}

const first = pinned(instancetypeOf(), '2026-01-01T00:00:00Z', 1)
const second = pinned(instancetypeOf({ cpu: { guest: 4 } }), '2026-01-01T00:00:00Z', 2)
const third = pinned(instancetypeOf({ memory: { guest: '1024Mi', maxGuest: '4Gi' }, cpu: { guest: 4 } }), '2026-02-01T00:00:00Z', 3)
const linux = pinned(preferenceOf(), '2026-01-01T00:00:00Z')
const started: ControllerRevision = {
  metadata: { name: 'revision-start-vm-1', ownerReferences: first.metadata.ownerReferences ?? [] },
  data: { spec: { instancetype: { name: 'small', revisionName: second.metadata.name } } },
  revision: 1,
}
const foreign: ControllerRevision = { ...first, metadata: { ...first.metadata, name: 'of-another-vm', ownerReferences: [] } }
const all = [first, linux, third, started, second, foreign]

function vmAt(instancetype: { name: string; revisionName?: string }, recorded?: ControllerRevision): VirtualMachine {
  const name = recorded?.metadata.name
  const status = name === undefined ? {} : { instancetypeRef: { name: 'small', controllerRevisionRef: { name } } }
  return { ...vmOf(), spec: { ...vmOf().spec, instancetype }, status }
}

suite('revisionHistory()', () => {
  test('lists revisions newest first, and marks the current and the running one', () => {
    const history = revisionHistory(vmAt({ name: 'small' }, third), all, started)
    assert.deepEqual(
      history.map(({ revision, family, generation, inForce, running }) => ({ revision, family, generation, inForce, running })),
      [
        { revision: third.metadata.name, family: 'instancetype', generation: 3, inForce: true, running: false },
        { revision: second.metadata.name, family: 'instancetype', generation: 2, inForce: false, running: true },
        { revision: first.metadata.name, family: 'instancetype', generation: 1, inForce: false, running: false },
        { revision: linux.metadata.name, family: 'preference', generation: 1, inForce: false, running: false },
      ],
    )
    const changes = history.map((entry) => entry.changes.map(({ path, old, new: now }) => [path, old, now]))
    assert.deepEqual(changes[0], [['spec.memory.maxGuest', undefined, '4Gi']])
    assert.deepEqual(changes[1], [['spec.cpu.guest', 2, 4]])
  })

  test('orders revisions of different objects that were created within one second', () => {
    const made = (name: string, uid: string, resourceVersion: string): ControllerRevision => {
      const object = { ...instancetypeOf(), metadata: { name, uid } } as Instancetype
      const revision = pinned(object, '2026-01-01T00:00:00Z')
      return { ...revision, metadata: { ...revision.metadata, resourceVersion } }
    }
    const revisions = [made('small', 'a', '99'), made('medium', 'b', '100')]
    for (const order of [revisions, revisions.toReversed()]) {
      assert.deepEqual(
        revisionHistory(vmAt({ name: 'medium' }), order).map(({ name }) => name),
        ['medium', 'small'],
      )
    }
  })

  test('includes a revision with another owner that the VM uses', () => {
    const history = revisionHistory(vmAt({ name: 'small', revisionName: 'of-another-vm' }), all)
    const names = history.filter(({ inForce }) => inForce).map(({ revision }) => revision)
    assert.deepEqual(names, ['of-another-vm'])
  })
})

suite('changesBetween()', () => {
  const rows = [
    { reason: 'scalars', before: { a: 1 }, after: { a: 2 }, paths: ['a'] },
    { reason: 'text that looks like a quantity', before: { hostname: '1' }, after: { hostname: '1.0' }, paths: ['hostname'] },
    { reason: 'quantities', before: { memory: { guest: '1Gi' } }, after: { memory: { guest: '1024Mi' } }, paths: [] },
    { reason: 'requests', before: { requests: { cpu: '1' } }, after: { requests: { cpu: '1000m' } }, paths: [] },
    { reason: 'a filled value', before: { rng: {}, x: {} }, after: { rng: {}, x: { a: 1 } }, paths: ['x.a'] },
    { reason: 'a setting enabled by an empty object', before: {}, after: { rng: {} }, paths: ['rng'] },
    { reason: 'empty lists and maps', before: { list: [], nodeSelector: {}, n: null }, after: {}, paths: [] },
    { reason: 'zeros that are defaults', before: { memory: { overcommitPercent: 0 } }, after: { memory: {} }, paths: [] },
    { reason: 'other zeros', before: { a: 0 }, after: {}, paths: ['a'] },
    { reason: 'items', before: { list: [{ n: 'a' }] }, after: { list: [{ n: 'a' }, { n: 'b' }] }, paths: ['list[1].n'] },
  ]
  for (const { reason, before, after, paths } of rows) {
    test(`compares ${reason}`, () => {
      const found = (a: unknown, b: unknown): string[] => changesBetween(a, b).map(({ path }) => path)
      assert.deepEqual([found(before, after), found(after, before)], [paths, paths])
    })
  }
})
