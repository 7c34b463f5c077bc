import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSemverRange, parseTolerant, SemverRangeError } from './semver-range.ts'

const isIn = (version: string, range: string): boolean => {
  const parsed = parseTolerant(version)
  assert.ok(parsed, version)
  return parseSemverRange(range)(parsed)
}

test('versions in and outside of ranges', () => {
  const rows: readonly (readonly [range: string, inside: string, outside: string])[] = [
    ['<1.19.0', '0.0.0 1.18.9 1.19.0-rc.1 v1.2', '1.19.0 1.19.1 2.0.0'],
    ['<=1.19.0', '1.18.0 1.19.0 1.19.0-0', '1.19.1-0 1.19.1'],
    ['>1.19.0', '1.19.1-0 1.19.1 2', '1.19.0 1.19.0-rc.1'],
    ['>=1.19.0', '1.19.0 1.19.0+build 1.20', '1.19.0-rc.1 1.18.9'],
    ['1.19.0', '1.19.0 v1.19', '1.19.1 1.19.0-rc.1'],
    ['=1.19.0', '1.19.0', '1.19.1'],
    ['==1.19.0', '1.19.0', '1.18.0'],
    ['!=1.19.0', '1.18.0 1.19.0-rc.1', '1.19.0'],
    ['!1.19.0', '1.18.0 1.19.1-0', '1.19.0'],
    ['>=1.16.0 <1.19.0', '1.16.0 1.18.7 1.19.0-rc.1', '1.15.9 1.16.0-rc.1 1.19.0'],
    ['>= 1.16.0   < 1.19.0', '1.16.0 1.18.7', '1.19.0'],
    ['<1.0.0 || >=2.0.0 !2.1.0', '0.9.0 2.0.0 2.1.1', '1.0.0 1.9.9 2.1.0'],
    ['1.2.x', '1.2.0 1.2.9 1.3.0-rc.1', '1.1.9 1.3.0 1.2.0-rc.1'],
    ['1.x', '1.0.0 1.99.0', '0.9.0 2.0.0'],
    ['1.x.x', '1.0.0 1.99.0', '0.9.0 2.0.0'],
    ['>1.2.x', '1.3.0', '1.2.9 1.0.0'],
    ['>=1.2.x', '1.2.0 2.0.0', '1.1.9'],
    ['<1.2.x', '1.1.9', '1.2.0 1.3.0'],
    ['<=1.2.x', '1.1.9 1.2.7', '1.3.0'],
    ['!=1.2.x', '1.1.9 1.3.0', '1.2.0 1.2.7'],
    ['x', '0.0.0 7.1.2', ''],
    ['', '', '0.0.0 1.0.0'],
    ['1.0.0-alpha.2', '1.0.0-alpha.2', '1.0.0-alpha.2.0 1.0.0-alpha.10 1.0.0'],
    ['>1.0.0-alpha.2', '1.0.0-alpha.2.0 1.0.0-alpha.10 1.0.0-beta 1.0.0', '1.0.0-alpha.2 1.0.0-alpha.1'],
  ]
  for (const [range, inside, outside] of rows) {
    for (const version of inside.split(' ').filter(Boolean)) assert.equal(isIn(version, range), true, `${version} is in ${range}`)
    for (const version of outside.split(' ').filter(Boolean)) assert.equal(isIn(version, range), false, `${version} is not in ${range}`)
  }
})

test('what is no range', () => {
  for (const range of [
    '^1.0.0',
    '~1.0.0',
    '1.0.0 - 2.0.0',
    '1.0',
    'v1.0.0',
    '<',
    'abc',
    '<1.0.0 ||',
    '|| 1.0.0',
    '=>1.0.0',
    '1.x.3',
    '01.2.3',
    '<>1.0.0',
    '1.0.0<',
  ])
    assert.throws(() => parseSemverRange(range), SemverRangeError, range)
})

test('versions are read tolerantly', () => {
  for (const [text, wanted] of [
    ['v1', '1.0.0'],
    [' 1.19 ', '1.19.0'],
    ['v01.2.3', '1.2.3'],
    ['1.2.3-rc.1', '1.2.3-rc.1'],
  ] as const)
    assert.deepEqual(parseTolerant(text), parseTolerant(wanted), text)
  for (const text of ['', 'latest', '1.2.3.4', '1.-1']) assert.equal(parseTolerant(text), undefined, text)
})

const part = fc.nat(3)
const version = fc
  .tuple(part, part, part, fc.option(fc.constantFrom('alpha', 'alpha.1', 'rc.2', '0'), { nil: undefined }))
  .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre === undefined ? '' : `-${pre}`}`)

test('a comparator and its opposite divide all versions', () => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      for (const [comparator, opposite] of [
        ['<', '>='],
        ['<=', '>'],
        ['=', '!='],
      ])
        assert.notEqual(isIn(one, `${comparator}${other}`), isIn(one, `${opposite}${other}`))
      assert.equal(isIn(one, `<=${other}`), isIn(one, `<${other} || =${other}`))
      assert.equal(isIn(one, `=${other}`), isIn(one, `<=${other} >=${other}`))
    }),
  )
})
