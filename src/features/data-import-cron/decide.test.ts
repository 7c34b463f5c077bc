import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decide } from './decide.ts'
import { digestOf, imported, nameOf, observed, type Scene } from './decide.fixture.ts'
import { names } from './names.ts'

/** What is decided, in digits of digests. */
interface Plan {
  readonly begin?: string
  readonly remove?: readonly string[]
  readonly target?: string
  readonly garbage?: readonly string[]
  readonly boot?: string
}

function planOf(scene: Scene): Plan {
  const { begin, remove, target, isSelected, garbage, boot } = decide(observed(scene))
  const digit = (name: string): string => name.replace(/^fedora-(.).*$/, '$1')
  return {
    ...(begin === undefined ? {} : { begin: begin.name.replace(/^fedora-(.)\1{11}/, '$1') }),
    ...(remove.length === 0 ? {} : { remove: remove.map(({ name }) => digit(name)) }),
    ...(target === undefined || isSelected ? {} : { target: digit(target.name) }),
    ...(garbage.length === 0 ? {} : { garbage: garbage.map(({ name }) => digit(name)) }),
    ...(boot.kind === 'none' ? {} : { boot: boot.kind }),
  }
}

const busy = { state: 'busy' } as const
const verify = { [names.verifyBoot]: 'Running' }
const foreign = { ownership: { kind: 'foreign', reason: 'a', message: 'b' } } as const

const cases: readonly [what: string, scene: Scene, plan: Plan][] = [
  ['an unknown digest', {}, {}],
  ['a first digest', { digest: 'a' }, { begin: 'a' }],
  ['an import that makes progress', { digest: 'a', imports: [imported('a', busy)] }, {}],
  ['a complete import', { digest: 'a', imports: [imported('a')] }, { target: 'a' }],
  ['nothing new', { digest: 'a', imports: [imported('a')], selected: 'a' }, {}],
  ['a newer digest', { digest: 'b', imports: [imported('a')], selected: 'a' }, { begin: 'b' }],
  ['a newer digest while an import makes progress', { digest: 'b', imports: [imported('a', busy)] }, {}],
  [
    'a newer digest while an import has not begun',
    { digest: 'b', imports: [imported('a', { state: 'waiting' })] },
    { remove: ['a'], begin: 'b' },
  ],
  ['a newer digest after a failure', { digest: 'b', imports: [imported('a', { state: 'broken' })] }, { remove: ['a'], begin: 'b' }],
  [
    'an older import that has become complete',
    { digest: 'c', imports: [imported('a'), imported('b', { day: 2 })], selected: 'a' },
    { begin: 'c', target: 'b' },
  ],
  ['an older image that is kept', { digest: 'b', imports: [imported('a'), imported('b', { day: 2 })], selected: 'b' }, {}],
  ['a tag that moves back', { digest: 'a', imports: [imported('a'), imported('b', { day: 2 })], selected: 'b' }, { target: 'a' }],
  [
    'an image in use that is lost',
    { digest: 'c', imports: [imported('a'), imported('b', { day: 2 }), imported('c', busy)], selected: 'd' },
    { target: 'b' },
  ],
  [
    'a failure, before the next look',
    { digest: 'a', imports: [imported('a', { state: 'broken', day: 2 })], annotations: { [names.lastCronTime]: '2026-01-01T12:00:00Z' } },
    {},
  ],
  [
    'a failure, after the next look',
    { digest: 'a', imports: [imported('a', { state: 'broken', day: 2 })], annotations: { [names.lastCronTime]: '2026-01-03T00:00:00Z' } },
    { remove: ['a'] },
  ],
  ['an import that is being deleted', { digest: 'a', imports: [imported('a', { state: 'leaving' })] }, {}],
  ['a content that is lost', { digest: 'a', imports: [imported('a', { phase: 'Succeeded', claimPhase: 'Lost' })] }, { remove: ['a'] }],
  ['another storage class', { digest: 'a', imports: [imported('a')], selected: 'a', storageClass: 'fast' }, { begin: 'a-115d' }],
  [
    'another storage class before there was a volume',
    { digest: 'a', imports: [imported('a', { state: 'waiting', claimPhase: 'Pending' })], storageClass: 'fast' },
    { remove: ['a'] },
  ],
  ['an import that waits for a volume', { digest: 'a', imports: [imported('a', { state: 'waiting', claimPhase: 'Pending' })] }, {}],
  [
    'more images than are kept',
    { digest: 'd', imports: ['a', 'b', 'c', 'd'].map((digit, day) => imported(digit, { day: day + 1 })), selected: 'd' },
    { garbage: ['a'] },
  ],
  [
    'more images than are kept, before the DataSource names the new one',
    { digest: 'd', imports: ['a', 'b', 'c', 'd'].map((digit, day) => imported(digit, { day: day + 1 })), selected: 'c' },
    { target: 'd' },
  ],
  [
    'no images to keep',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2 })], selected: 'b', spec: { importsToKeep: 0 } },
    { garbage: ['a'] },
  ],
  [
    'images that others name',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2 })], selected: 'b', spec: { importsToKeep: 0 }, inUse: ['a'] },
    {},
  ],
  [
    'no garbage collection',
    {
      digest: 'b',
      imports: [imported('a'), imported('b', { day: 2 })],
      selected: 'b',
      spec: { importsToKeep: 0, garbageCollect: 'Never' },
    },
    {},
  ],
  [
    'a pinned image',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2 })], selected: 'b', annotations: { [names.pin]: nameOf('a') } },
    { target: 'a' },
  ],
  [
    'a pinned digest',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2 })], selected: 'b', annotations: { [names.pin]: digestOf('a') } },
    { target: 'a' },
  ],
  [
    'a pinned image that is not there',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2 })], selected: 'a', annotations: { [names.pin]: 'c' } },
    {},
  ],
  [
    'a pinned image and few to keep',
    {
      digest: 'c',
      imports: [imported('a'), imported('b', { day: 2 }), imported('c', { day: 3 })],
      selected: 'a',
      spec: { importsToKeep: 1 },
      annotations: { [names.pin]: nameOf('a') },
    },
    { garbage: ['b'] },
  ],
  [
    'an image to boot',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2 })], selected: 'a', annotations: verify },
    { boot: 'createVm' },
  ],
  [
    'an image that boots',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2, boot: 'passed' })], selected: 'a', annotations: verify },
    { target: 'b' },
  ],
  [
    'an image that does not boot',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2, boot: 'failed' })], selected: 'a', annotations: verify },
    {},
  ],
  [
    'an image that did not boot when that was asked',
    { digest: 'b', imports: [imported('a'), imported('b', { day: 2, boot: 'failed' })], selected: 'a' },
    {},
  ],
  ['a first image that does not boot', { digest: 'b', imports: [imported('b', { boot: 'failed' })], annotations: verify }, {}],
  ['the DataSource of another one', { digest: 'b', imports: [imported('a', { state: 'broken' })], others: foreign }, {}],
]

suite('decide() with', () => {
  for (const [what, scene, plan] of cases) test(what, () => assert.deepEqual(planOf(scene), plan))

  test('an import that takes too long', () => {
    const late = { ...imported('a', busy), state: 'broken' } as const
    assert.deepEqual(decide(observed({ digest: 'a', imports: [late] })).remove, [late])
  })
})
