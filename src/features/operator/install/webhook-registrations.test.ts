import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ValidatingWebhookConfiguration } from '#api/admissionregistration/v1/webhook-configuration.ts'
import { guardedCrds, decideCreationGuard } from './creation-guard.ts'
import { bundlesOf, type Registration } from '#features/certificates/index.ts'
import { servedByAnnotation, decideRegistrations, creationGuardName, type ServingPhase } from './webhook-registrations.ts'

const labels = { 'app.kubernetes.io/managed-by': 'virt-operator', 'app.kubernetes.io/part-of': 'steadyvm' }

/** A webhook for each letter; a capital one is worded otherwise. */
function hooks(letters: string, { by, bundle = '', isOurs = true }: { by?: string; bundle?: string; isOurs?: boolean } = {}): Registration {
  const annotations = by === undefined ? {} : { [servedByAnnotation]: by }
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hooks', labels: isOurs ? labels : {}, annotations },
    webhooks: Array.from(letters, (letter) => ({
      name: letter.toLowerCase(),
      clientConfig: { url: letter, caBundle: bundle },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })),
  } as ValidatingWebhookConfiguration
}

const lettersOf = (registration: Registration | undefined): string | undefined =>
  (registration as ValidatingWebhookConfiguration | undefined)?.webhooks?.map(({ clientConfig }) => clientConfig.url).join('')

const known = new Map([
  ['v1', [hooks('abc')]],
  ['v2', [hooks('Abd')]],
  ['v3', [hooks('abe')]],
])

interface Row {
  readonly when: string
  readonly present: Registration | undefined
  readonly phase: ServingPhase
  readonly wanted: string
  /** Undefined: nothing is written. */
  readonly letters: string | undefined
  readonly by?: string
}

const rows: readonly Row[] = [
  { when: 'nothing is there, and nobody serves', present: undefined, phase: 'before', wanted: 'v1', letters: undefined },
  { when: 'the first version serves', present: undefined, phase: 'after', wanted: 'v1', letters: 'abc', by: 'v1' },
  { when: 'all is well', present: hooks('abc', { by: 'v1' }), phase: 'after', wanted: 'v1', letters: undefined },
  { when: 'somebody has taken one away', present: hooks('ab', { by: 'v1' }), phase: 'after', wanted: 'v1', letters: 'abc', by: 'v1' },
  { when: 'a foreign webhook was added', present: hooks('abcx', { by: 'v1' }), phase: 'after', wanted: 'v1', letters: 'abc', by: 'v1' },
  {
    when: 'it was installed without the operator',
    present: hooks('abc', { isOurs: false }),
    phase: 'after',
    wanted: 'v1',
    letters: 'abc',
    by: 'v1',
  },
  { when: 'an upgrade has begun', present: hooks('abc', { by: 'v1' }), phase: 'before', wanted: 'v2', letters: undefined },
  {
    when: 'a webhook was edited during the upgrade',
    present: hooks('ab', { by: 'v1' }),
    phase: 'before',
    wanted: 'v2',
    letters: 'abc',
    by: 'v1',
  },
  {
    when: 'new servers are allowed to start',
    present: hooks('abc', { by: 'v1' }),
    phase: 'during',
    wanted: 'v2',
    letters: 'ab',
    by: 'v1,v2',
  },
  { when: 'they start', present: hooks('ab', { by: 'v1,v2' }), phase: 'during', wanted: 'v2', letters: undefined },
  { when: 'only new servers are left', present: hooks('ab', { by: 'v1,v2' }), phase: 'after', wanted: 'v2', letters: 'Abd', by: 'v2' },
  {
    when: 'another version is wanted while they start',
    present: hooks('ab', { by: 'v1,v2' }),
    phase: 'before',
    wanted: 'v3',
    letters: undefined,
  },
  {
    when: 'servers of that version are allowed to start',
    present: hooks('ab', { by: 'v1,v2' }),
    phase: 'during',
    wanted: 'v3',
    letters: 'ab',
    by: 'v1,v2,v3',
  },
  {
    when: 'servers of an unknown version run',
    present: hooks('abx', { by: 'v0' }),
    phase: 'before',
    wanted: 'v1',
    letters: undefined,
  },
  { when: 'those are replaced', present: hooks('abx', { by: 'v0' }), phase: 'during', wanted: 'v1', letters: 'ab', by: 'v0,v1' },
]

suite('decideRegistrations()', () => {
  for (const { when, present, phase, wanted, letters, by } of rows) {
    test(`${letters === undefined ? 'changes nothing' : `registers ${letters}`} when ${when}`, () => {
      const observed = { present: present === undefined ? [] : [present], known, wanted, phase, fallback: [], bundle: 'b' }
      const { write, remove } = decideRegistrations(observed)
      assert.equal(lettersOf(write[0]), letters)
      assert.equal(write[0]?.metadata.annotations?.[servedByAnnotation], by)
      assert.deepEqual(remove, [])
      const [next = present] = write
      assert.deepEqual(decideRegistrations({ ...observed, present: next === undefined ? [] : [next] }).write, [], 'and rests')
    })
  }

  const base = { known, wanted: 'v1', phase: 'after', fallback: [], bundle: 'new' } as const

  test('restores webhooks that were deleted during an upgrade, in the form of the running versions', () => {
    const { write } = decideRegistrations({ ...base, present: [], wanted: 'v2', phase: 'during', fallback: ['v1'] })
    assert.equal(lettersOf(write[0]), 'ab')
  })

  test('keeps the caBundle of existing webhooks, and sets that of new ones', () => {
    const { write } = decideRegistrations({ ...base, present: [hooks('a', { bundle: 'old', by: 'v1' })] })
    assert.deepEqual(new Set(write.flatMap(bundlesOf)), new Set(['old']))
    assert.deepEqual(decideRegistrations({ ...base, present: [] }).write.flatMap(bundlesOf), ['new', 'new', 'new'])
    assert.deepEqual(decideRegistrations({ ...base, bundle: undefined, present: [] }).write, [])
  })

  test('removes only labelled registrations that no version has', () => {
    const other = (name: string, isOurs: boolean): Registration => ({
      ...hooks('z', { isOurs }),
      metadata: { name, labels: isOurs ? labels : {} },
    })
    const present = [hooks('abc', { by: 'v1' }), other('old', true), other('of-a-user', false), other(creationGuardName, true)]
    assert.deepEqual(
      decideRegistrations({ ...base, present }).remove.map(({ metadata }) => metadata.name),
      ['old'],
    )
  })
})

suite('decideGate()', () => {
  const gateFor = (kinds: readonly string[]): ValidatingWebhookConfiguration | undefined => {
    const gate = decideCreationGuard({ present: undefined, phase: 'before', coming: kinds, foreign: [], namespace: 'kubevirt' })
    return gate === 'open' ? undefined : gate
  }
  const [a, b] = ['as.one.test', 'bs.two.test']
  const gates: readonly (readonly [
    string,
    readonly string[],
    ServingPhase,
    readonly string[],
    readonly string[],
    readonly string[] | undefined,
  ])[] = [
    ['nothing has changed', [], 'before', [], [], undefined],
    ['a new kind before the upgrade', [], 'before', [a], [], [a]],
    ['it has come', [a], 'before', [], [], undefined],
    ['another new kind before the upgrade', [a], 'before', [b], [], [a, b]],
    ['its servers start', [a], 'during', [], [], undefined],
    ['only new servers are left', [a], 'after', [], [], []],
    ['an upgrade to a version without a kind', [], 'during', [], [b], [b]],
    ['the version without the kind is complete', [b], 'after', [], [b], undefined],
    ['an upgrade to the version with the kind', [b], 'before', [], [], undefined],
    ['the version with the kind is complete', [b], 'after', [], [], []],
  ]
  for (const [when, closed, phase, coming, foreign, wanted] of gates) {
    test(`${wanted === undefined ? 'changes nothing' : `closes ${wanted.join() || 'nothing'}`} when ${when}`, () => {
      const gate = decideCreationGuard({ present: gateFor(closed), phase, coming, foreign, namespace: 'kubevirt' })
      assert.deepEqual(gate === 'open' ? [] : gate && guardedCrds(gate), wanted)
    })
  }
})
