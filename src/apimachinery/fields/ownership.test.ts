import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deepEqual } from '../equality.ts'
import { difference, type FieldSet, intersection, noFields, pathsOf, union } from './field-set.ts'
import { objects, owned, type, writing } from './fields.fixture.ts'
import type { Managers } from './managers.ts'
import { withNamedFields } from './named-fields.ts'
import { applyOwned, OwnershipConflict, updateOwners } from './ownership.ts'
import { allFieldsOf, toFieldSet } from './to-field-set.ts'

const nobody: Managers = new Map()

interface State {
  readonly object: unknown
  readonly managers: Managers
}

function applied(state: State, manager: string, config: object, force = false): State {
  const { object, managers } = applyOwned(writing(manager), state.object, config, state.managers, force)
  return { object: object ?? state.object, managers }
}

function updated(state: State, manager: string, object: object): State {
  return { object, managers: updateOwners(writing(manager), state.object, object, state.managers).managers }
}

const empty: State = { object: undefined, managers: nobody }

test('an updater owns the fields that it changes, and other managers lose them', () => {
  const made = updated(empty, 'one', { name: 'x', struct: { a: 'x', b: 1 } })
  const { managers } = updated(made, 'two', { name: 'x', struct: { a: 'y' }, count: 1 })
  assert.deepEqual(owned(managers), { one: { 'f:name': {}, 'f:struct': {} }, two: { 'f:count': {}, 'f:struct': { 'f:a': {} } } })
})

test('an update that changes nothing leaves everything as it was', () => {
  const made = updated(empty, 'one', { name: 'x' })
  const { managers, took } = updateOwners(writing('two'), made.object, { name: 'x' }, made.managers)
  assert.deepEqual([managers === made.managers, took], [true, false])
})

test('a field that is no longer applied is removed, unless another manager owns it', () => {
  const one = applied(empty, 'one', { labels: { p: 'x', q: 'x' }, keyed: [{ name: 'x', port: 1 }] })
  const two = applied(one, 'two', { labels: { q: 'x' } })
  const { object, managers } = applied(two, 'one', { name: 'x' })
  assert.deepEqual(object, { name: 'x', labels: { q: 'x' } })
  assert.deepEqual(owned(managers), { one: { 'f:name': {} }, two: { 'f:labels': { 'f:q': {} } } })
})

test('a key or an item is removed with its contents when its manager stops applying it', () => {
  const one = applied(empty, 'one', { groups: { p: { a: 'x' } }, struct: { a: 'x' } })
  const two = updated(one, 'two', { groups: { p: { a: 'x', b: 1 } }, struct: { a: 'x', b: 1 } })
  const { object, managers } = applied(two, 'one', {})
  assert.deepEqual(object, { groups: {}, struct: { b: 1 } })
  assert.deepEqual(owned(managers), { two: { 'f:struct': { 'f:b': {} } } })
})

test('conflicts name who owns each field', () => {
  const state = updated(applied(empty, 'one', { name: 'x', set: ['x'] }), 'two', { name: 'x', set: ['x'], count: 1 })
  assert.throws(
    () => applied(state, 'three', { name: 'y', count: 2, set: ['x', 'y'] }),
    (error: OwnershipConflict) => {
      assert.deepEqual(error.conflicts, [
        { manager: 'one', path: ['f:name'] },
        { manager: 'two', path: ['f:count'] },
      ])
      return true
    },
  )
})

test('sets of versions that no longer exist are dropped', () => {
  const base = writing('one')
  const versions = { ...base.versions, typeOf: (version: string) => (version === 'v1' ? type : undefined) }
  const managers: Managers = new Map([['old', { apiVersion: 'v0', applied: true, fields: toFieldSet(type, { name: 'x' }) }]])
  const result = updateOwners({ ...base, versions }, { name: 'x' }, { name: 'y' }, managers)
  assert.deepEqual(owned(result.managers), { one: { 'f:name': {} } })
})

test('fields that a path ignores, and those of the server, have no owner', () => {
  const ignored = toFieldSet(type, { count: 1 })
  const base = writing('one')
  const how = { ...base, versions: { ...base.versions, ignored: () => ignored }, unowned: toFieldSet(type, { name: 'x' }) }
  const { managers, took } = updateOwners(how, undefined, { name: 'x', count: 1 }, nobody)
  assert.deepEqual([owned(managers), took], [{}, false])
  assert.deepEqual(owned(applyOwned(how, undefined, { name: 'x', count: 1, either: 1 }, nobody, false).managers), {
    one: { 'f:either': {} },
  })
})

type Step = readonly [kind: 'update' | 'apply', manager: string, object: Record<string, unknown>]

const steps: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom('update', 'apply'), fc.constantFrom('u', 'v'), objects)
/**
 * States that some writes have led to. Managers of updates and of applies differ, as their
 * identities do.
 */
const states: fc.Arbitrary<State> = fc
  .array(steps, { maxLength: 4 })
  .map((all) =>
    all.reduce(
      (state, [kind, manager, object]) =>
        kind === 'update' ? updated(state, manager, object) : applied(state, `${manager}-a`, object, true),
      empty,
    ),
  )

function fieldsOf(managers: Managers, except?: string): FieldSet {
  return [...managers].filter(([manager]) => manager !== except).reduce((all, [, { fields }]) => union(all, fields), noFields)
}

function conflictsOf(run: () => unknown): readonly { manager: string }[] {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof OwnershipConflict) return error.conflicts
    throw error
  }
}

const rule = { numRuns: 700 }

test('a second apply changes nothing', () => {
  fc.assert(
    fc.property(states, objects, (state, config) => {
      const once = applied(state, 'me', config, true)
      const again = applyOwned(writing('me'), once.object, config, once.managers, false)
      assert.equal(again.object, undefined)
      assert.deepEqual(owned(again.managers), owned(once.managers))
    }),
    rule,
  )
})

test('an applier owns every leaf of its configuration, and the object contains it', () => {
  fc.assert(
    fc.property(states, objects, (state, config) => {
      const next = applied(state, 'me', config, true)
      assert.deepEqual(
        owned(next.managers)['me'] ?? {},
        owned(new Map([['me', { apiVersion: 'v1', applied: true, fields: toFieldSet(type, config) }]]))['me'],
      )
      assert.equal(difference(toFieldSet(type, config), allFieldsOf(type, next.object)).size, 0)
    }),
    rule,
  )
})

test('a conflict exists only where another manager owns a field and the value differs', () => {
  fc.assert(
    fc.property(states, objects, (state, config) => {
      const before = toFieldSet(type, state.object ?? {})
      const forced = applied(state, 'me', config, true)
      const conflicts = conflictsOf(() => applied(state, 'me', config, false))
      const lost = [...state.managers].filter(([manager, { fields }]) => {
        const now = forced.managers.get(manager)?.fields ?? noFields
        // A field that was removed from the object is lost without a conflict.
        return difference(intersection(fields, toFieldSet(type, forced.object)), now).size > 0
      })
      assert.deepEqual(new Set(conflicts.map(({ manager }) => manager)), new Set(lost.map(([manager]) => manager)))
      if (difference(toFieldSet(type, config), before).size === 0 && deepEqual(forced.object, state.object))
        assert.equal(conflicts.length, 0)
    }),
    rule,
  )
})

test('with force, a former owner of a field with another value loses it', () => {
  fc.assert(
    fc.property(states, objects, (state, config) => {
      const conflicts = conflictsOf(() => applied(state, 'me', config, false)) as OwnershipConflict['conflicts']
      const { managers } = applied(state, 'me', config, true)
      for (const { manager, path } of conflicts) {
        const left = pathsOf(managers.get(manager)?.fields ?? noFields).map((each) => each.join('/'))
        assert.equal(left.includes(path.join('/')), false)
      }
    }),
    rule,
  )
})

test('two managers that apply the same value share the field', () => {
  fc.assert(
    fc.property(objects, (config) => {
      const both = applied(applied(empty, 'one', config), 'two', config)
      assert.deepEqual(owned(both.managers)['one'], owned(both.managers)['two'])
      assert.deepEqual(
        applied(both, 'one', {}).object ?? {},
        Object.keys(toFieldSet(type, config)).length === 0 ? both.object : both.object,
      )
    }),
    rule,
  )
})

test('applying less removes fields without another owner, and nothing else', () => {
  fc.assert(
    fc.property(states, objects, objects, (state, more, less) => {
      const first = applied(state, 'me', more, true)
      const second = applied(first, 'me', less, true)
      const before = allFieldsOf(type, first.object)
      const gone = difference(before, allFieldsOf(type, second.object))
      const own = fieldsOf(new Map([...first.managers].filter(([manager]) => manager === 'me')))
      // Or it was below a field that has another shape now.
      const others = difference(gone, withAllBelow(union(own, toFieldSet(type, less)), before))
      // Or it had no owner, in a declared object that was removed with its last owned field.
      assert.equal(difference(others, withAllBelow(withNamedFields(type, own), before)).size, 0)
      assert.equal(intersection(others, fieldsOf(first.managers)).size, 0)
      assert.equal(intersection(fieldsOf(second.managers), gone).size, 0)
    }),
    rule,
  )
})

/**
 * Returns a set with all fields below its fields: removing an item removes its fields without
 * owner.
 */
function withAllBelow(own: FieldSet, all: FieldSet): FieldSet {
  return new Map(
    [...own].flatMap(([element, node]) => {
      const there = all.get(element)
      if (there === undefined) return [[element, node] as const]
      const below = node.owned ? union(node.below, there.below) : withAllBelow(node.below, there.below)
      return [[element, { owned: true, below }] as const]
    }),
  )
}
