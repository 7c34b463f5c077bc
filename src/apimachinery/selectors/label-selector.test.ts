import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { labelSelectorFromObject, parseLabelSelector, SelectorError } from './label-selector.ts'

type Labels = Record<string, string>

const matching: readonly { selector: string; labels: Labels | undefined; want: boolean; reason: string }[] = [
  { selector: '', labels: undefined, want: true, reason: 'the empty selector matches everything' },
  { selector: 'a=b', labels: { a: 'b' }, want: true, reason: 'equality' },
  { selector: 'a==b', labels: { a: 'b' }, want: true, reason: 'with two signs' },
  { selector: ' a = b , c ', labels: { a: 'b', c: '' }, want: true, reason: 'blanks do not count' },
  { selector: 'a=', labels: { a: '' }, want: true, reason: 'the empty value' },
  { selector: 'a=,b', labels: { a: '', b: 'x' }, want: true, reason: 'the empty value before a comma' },
  { selector: 'a!=b', labels: {}, want: true, reason: 'unequal holds for missing keys' },
  { selector: 'a!=b', labels: { a: 'b' }, want: false, reason: 'unequal' },
  { selector: 'a in (b,c)', labels: { a: 'c' }, want: true, reason: 'one of several' },
  { selector: 'a in (b,)', labels: { a: '' }, want: true, reason: 'an empty value in the list' },
  { selector: 'a in ()', labels: { a: '' }, want: true, reason: 'empty brackets hold the empty value' },
  { selector: 'a in (b)', labels: {}, want: false, reason: 'missing is in nothing' },
  { selector: 'a notin (b)', labels: undefined, want: true, reason: 'and not in anything' },
  { selector: 'a', labels: { a: '' }, want: true, reason: 'existence' },
  { selector: '!a', labels: { a: '' }, want: false, reason: 'absence' },
  { selector: '!a', labels: {}, want: true, reason: 'absence' },
  { selector: 'a>3', labels: { a: '10' }, want: true, reason: 'numbers, not text' },
  { selector: 'a<3', labels: { a: '-1' }, want: true, reason: 'negative numbers' },
  { selector: 'a>3', labels: { a: 'x' }, want: false, reason: 'no number' },
  { selector: 'a>3', labels: {}, want: false, reason: 'no label' },
  { selector: 'toString', labels: {}, want: false, reason: 'inherited names are no labels' },
  { selector: 'in in (in)', labels: { in: 'in' }, want: true, reason: 'operators may be keys and values' },
  { selector: 'kubevirt.io/vm=a,kubevirt.io/vm!=b', labels: { 'kubevirt.io/vm': 'a' }, want: true, reason: 'all must hold' },
]

const bad = [
  ',',
  'a,',
  'a=b=c',
  'a in',
  'a in (',
  'a in b',
  'a in (b',
  'a notin',
  '!',
  '!!a',
  'a!b',
  '-a',
  'a=-b',
  'a>x',
  'a>',
  'a b',
  '(a)',
  'a=b)',
  '=b',
  'a=b,,c',
  'a/b/c',
  `a=${'x'.repeat(64)}`,
]

suite('parseLabelSelector()', () => {
  for (const c of matching) {
    test(`parseLabelSelector() matches ${JSON.stringify(c.selector)} with ${JSON.stringify(c.labels)}: ${c.reason}`, () => {
      const selector = parseLabelSelector(c.selector)
      assert.equal(selector.matches(c.labels), c.want)
      assert.equal(parseLabelSelector(selector.toString()).matches(c.labels), c.want)
    })
  }
  for (const text of bad) {
    test(`parseLabelSelector() refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseLabelSelector(text),
        (error) => error instanceof SelectorError && error.selector === text,
      )
    })
  }
  test('parseLabelSelector() only ever throws SelectorError', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '=', '!', ',', '(', ')', '<', '>', 'in', 'notin', '1') }), (text) => {
        try {
          parseLabelSelector(text)
        } catch (error) {
          assert.ok(error instanceof SelectorError)
        }
      }),
    )
  })
})

const key = fc.constantFrom('a', 'b', 'c')
const value = fc.constantFrom('', 'x', 'y', '1', '7')
type Term = { text: string; holds: (labels: Labels) => boolean }
const terms: fc.Arbitrary<Term> = fc.oneof(
  fc.tuple(key, value).map(([k, v]): Term => ({ text: `${k}=${v}`, holds: (labels) => labels[k] === v })),
  fc.tuple(key, value).map(([k, v]): Term => ({ text: `${k}!=${v}`, holds: (labels) => labels[k] !== v })),
  fc
    .tuple(key, fc.array(value, { minLength: 1 }))
    .map(([k, vs]): Term => ({ text: `${k} in (${vs.join(',')})`, holds: (labels) => vs.some((v) => labels[k] === v) })),
  fc
    .tuple(key, fc.array(value, { minLength: 1 }))
    .map(([k, vs]): Term => ({ text: `${k} notin (${vs.join(',')})`, holds: (labels) => vs.every((v) => labels[k] !== v) })),
  key.map((k): Term => ({ text: k, holds: (labels) => k in labels })),
  key.map((k): Term => ({ text: `!${k}`, holds: (labels) => !(k in labels) })),
  key.map((k): Term => ({ text: `${k}>3`, holds: (labels) => labels[k] === '7' })),
)

test('a label selector agrees with a naive matcher, and survives printing', () => {
  fc.assert(
    fc.property(fc.array(terms, { maxLength: 4 }), fc.dictionary(key, value), (list, labels) => {
      const selector = parseLabelSelector(list.map((term) => term.text).join(','))
      const want = list.every((term) => term.holds(labels))
      assert.equal(selector.matches(labels), want)
      assert.equal(parseLabelSelector(selector.toString()).matches(labels), want)
    }),
  )
})

suite('labelSelectorFromObject()', () => {
  test('labelSelectorFromObject() selects nothing when absent and all when empty', () => {
    assert.equal(labelSelectorFromObject(undefined).matches({ a: 'b' }), false)
    assert.equal(labelSelectorFromObject({}).matches({}), true)
  })
  test('labelSelectorFromObject() joins labels and expressions', () => {
    const selector = labelSelectorFromObject({
      matchLabels: { app: 'vm' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['b', 'a'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    })
    assert.equal(selector.toString(), 'app=vm,tier in (a,b),!old')
    assert.equal(selector.matches({ app: 'vm', tier: 'a' }), true)
    assert.equal(selector.matches({ app: 'vm', tier: 'a', old: '' }), false)
  })
  test('labelSelectorFromObject() refuses unknown operators and empty sets', () => {
    assert.throws(() => labelSelectorFromObject({ matchExpressions: [{ key: 'a', operator: 'Near' }] }), SelectorError)
    assert.throws(() => labelSelectorFromObject({ matchExpressions: [{ key: 'a', operator: 'In' }] }), SelectorError)
  })
})
