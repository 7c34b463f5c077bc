import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deepFreeze } from '#apimachinery/equality.ts'
import { cloneJson } from '#apimachinery/json/json-clone.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { decide, type Entry, type Step } from './decide.ts'
import { catalogueInstancetypes } from './instancetypes.ts'

const [wanted] = catalogueInstancetypes().map((object) => deepFreeze(object)) as [Entry]

/** The stored object after an edit. */
function stored(change: (object: { metadata: { [key: string]: unknown }; spec: { [key: string]: unknown } }) => void = () => {}): Entry {
  const object = { ...(cloneJson(wanted) as Entry), metadata: { ...(cloneJson(wanted.metadata) as object), uid: 'u', generation: 3 } }
  change(object as never)
  return deepFreeze(object)
}

const unmanaged = (object: { metadata: { [key: string]: unknown } }): void => {
  object.metadata['labels'] = { mine: 'yes' }
}

const rows: readonly {
  readonly name: string
  readonly present: Entry | undefined
  readonly wanted?: Entry
  readonly step: Step['kind']
}[] = [
  { name: 'creates a missing object', present: undefined, wanted, step: 'create' },
  { name: 'keeps an unchanged object', present: stored(), wanted, step: 'none' },
  { name: 'does nothing for an unknown name', present: undefined, step: 'none' },
  { name: 'removes an additional object', present: stored(), step: 'remove' },
  { name: 'keeps an object of a user', present: stored(unmanaged), step: 'none' },
  { name: 'adopts an object with a name of the catalogue', present: stored(unmanaged), wanted, step: 'restore' },
  { name: 'reverts an edited size', present: stored((object) => (object.spec['cpu'] = { guest: 99 })), wanted, step: 'restore' },
  { name: 'reverts an added field', present: stored((object) => (object.spec['nodeSelector'] = { a: 'b' })), wanted, step: 'restore' },
  { name: 'restores removed annotations', present: stored((object) => delete object.metadata['annotations']), wanted, step: 'restore' },
  {
    name: 'waits for an object that is being deleted',
    present: stored((object) => (object.metadata['deletionTimestamp'] = '2026-01-01T00:00:00Z')),
    wanted,
    step: 'none',
  },
]

suite('decide()', () => {
  for (const { name, present, wanted: shall, step } of rows) test(name, () => assert.equal(decide(present, shall).kind, step))

  test('changes nothing after its own patch', () => {
    for (const { present } of rows.filter(({ step }) => step === 'restore')) {
      const step = decide(present, wanted)
      assert.ok(step.kind === 'restore')
      const patched = applyMergePatch(present, step.patch) as Entry
      assert.deepEqual(decide(patched, wanted), { kind: 'none' })
      assert.deepEqual(patched.spec, wanted.spec)
    }
  })

  test('removes the labels and annotations of others, as KubeVirt does', () => {
    const labels = { ...wanted.metadata?.labels, team: 'a', 'instancetype.kubevirt.io/cpu': '99' }
    const step = decide(
      stored((object) => (object.metadata['labels'] = labels)),
      wanted,
    )
    assert.ok(step.kind === 'restore' && step.edited)
    assert.deepEqual(step.patch, { metadata: { labels: { 'instancetype.kubevirt.io/cpu': '1', team: null } } })
  })
})
