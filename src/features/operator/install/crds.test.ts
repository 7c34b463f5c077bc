import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { expandedCrd, hashAnnotation, contractedCrd, type CrdRelease } from './crds.ts'

const origin: CrdRelease = { version: 'v2.0.0', hash: 'two', count: 1 }

interface Made {
  readonly hash?: string
  readonly by?: string
  readonly stored?: readonly string[]
}

/** `a*,b-`: the star is what is stored, the minus is not served. */
function definition(text: string, { hash, by, stored = [] }: Made = {}): CustomResourceDefinition {
  const versions = text.split(',').map((word) => ({
    name: word.replace(/[*-]/g, ''),
    storage: word.includes('*'),
    served: !word.includes('-'),
  }))
  const annotations = {
    ...(hash === undefined ? {} : { [hashAnnotation]: `${hash}/1` }),
    ...(by === undefined ? {} : { 'kubevirt.io/install-strategy-version': by }),
  }
  return {
    metadata: { name: 'things', annotations },
    spec: { versions },
    status: { storedVersions: [...stored] },
  } as unknown as CustomResourceDefinition
}

const textOf = ({ spec }: CustomResourceDefinition): string =>
  spec.versions.map(({ name, storage, served }) => `${name}${storage ? '*' : ''}${served ? '' : '-'}`).join()

suite('definitions', () => {
  const rows: readonly (readonly [string, CustomResourceDefinition | undefined, string, string, string | undefined])[] = [
    ['a missing one', undefined, 'b*', 'b*', undefined],
    ['the same versions', definition('a*'), 'a*', 'a*', undefined],
    ['a new version', definition('a*'), 'a*,b', 'a*,b', undefined],
    ['a new version that is stored', definition('a*'), 'a,b*', 'a*,b', 'a,b*'],
    ['one that drops a version', definition('a*,b'), 'b*', 'b,a*', 'b*'],
    ['one that drops a version that objects are stored in', definition('a*,b', { stored: ['a', 'b'] }), 'b*', 'b,a*', 'b*,a'],
    ['a version that the cluster serves', definition('a*,b'), 'a*,b-', 'a*,b', undefined],
  ]
  for (const [name, present, wanted, big, small] of rows) {
    test(`grow and shrink: ${name}`, () => {
      const ours = definition(wanted)
      const larger = expandedCrd(present, ours, origin)
      assert.ok(larger !== undefined)
      assert.equal(textOf(larger), big)
      assert.equal(expandedCrd(larger, ours, origin), undefined, 'and rests')
      const smaller = contractedCrd({ ...larger, ...(present?.status === undefined ? {} : { status: present.status }) }, ours, origin)
      assert.equal(smaller === undefined ? undefined : textOf(smaller), small)
      if (smaller !== undefined)
        assert.equal(
          contractedCrd({ ...smaller, ...(present?.status && { status: present.status }) }, ours, origin),
          undefined,
          'and rests',
        )
    })
  }

  test('are not changed when they belong to a newer version', () => {
    const newer = definition('a,b,c*', { hash: 'three', by: 'v3.0.0' })
    assert.equal(expandedCrd(newer, definition('b*'), origin), undefined)
    assert.equal(contractedCrd(newer, definition('b*'), origin), undefined)
    const back = expandedCrd(newer, definition('b,d*'), origin)
    assert.equal(back && textOf(back), 'a,b,c*,d', 'but get back what was dropped since')
    assert.deepEqual(back?.metadata.annotations, newer.metadata.annotations)
  })

  test('are replaced when the newer version was never complete', () => {
    const tried = definition('a*,b', { hash: 'three', by: 'v3.0.0' })
    const abandoned = { ...origin, abandoned: ['v3.0.0'] }
    const back = expandedCrd(tried, definition('a*'), abandoned)
    assert.equal(back && textOf(back), 'a*,b', 'and nothing goes that somebody may use')
    assert.equal(back && expandedCrd(back, definition('a*'), abandoned), undefined, 'and rests')
    const next = back && expandedCrd(back, definition('a,c*'), { version: 'v2.5.0', hash: 'half', count: 1 })
    const moved = next && contractedCrd(next, definition('a,c*'), { version: 'v2.5.0', hash: 'half', count: 1 })
    assert.equal(moved && textOf(moved), 'a,c*', 'so that the next version stores what it wants')
  })

  test('are restored after an edit, and keep cluster-specific fields', () => {
    const names = { plural: 'things', shortNames: ['t'], categories: [] }
    const withNames = (one: CustomResourceDefinition, more: object): CustomResourceDefinition => {
      return { ...one, spec: { ...one.spec, ...more } } as CustomResourceDefinition
    }
    const wanted = withNames(definition('a*,b-'), { names })
    const own = withNames(definition('b,a*', { hash: 'two' }), {
      names: { plural: 'things', shortNames: ['t'], singular: 'thing' },
      conversion: {},
    })
    assert.equal(expandedCrd(own, wanted, origin), undefined, 'what has more is whole')
    const rows: readonly (readonly [string, CustomResourceDefinition])[] = [
      ['another name', withNames(own, { names: { ...names, shortNames: ['other'] } })],
      ['an additional short name', withNames(own, { names: { ...names, shortNames: ['t', 'other'] } })],
      ['no names', withNames(own, { names: { plural: 'things' } })],
      ['a removed version', withNames(own, { versions: own.spec.versions.filter(({ name }) => name === 'a') })],
    ]
    for (const [what, edited] of rows) {
      const back = expandedCrd(edited, wanted, origin)
      assert.deepEqual(back?.spec.names, names, what)
      assert.match(back === undefined ? '' : textOf(back), /^a\*,b-?$/, what)
    }
  })
})
