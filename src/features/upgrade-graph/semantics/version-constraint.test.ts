import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { parseVersionConstraint, VersionConstraintError } from './version-constraint.ts'

test('versions in and outside of constraints', () => {
  const rows: readonly (readonly [constraint: string, inside: string, outside: string])[] = [
    ['', '1.0.0', '1.0.0-rc.1'],
    ['1.2.3', '1.2.3', '1.2.4 1.2.3-rc.1'],
    ['=1.2', '1.2.0 1.2.9', '1.3.0 1.1.9'],
    ['1.x', '1.0.0 1.9.9', '2.0.0 1.0.0-rc.1'],
    ['*', '0.0.0 9.9.9', '1.0.0-rc.1'],
    ['!=1.2', '1.3.0 1.1.0', '1.2.0 1.2.9'],
    ['!=1.2.3', '1.2.4 1.2.3-rc.1', '1.2.3'],
    ['>1.2', '1.3.0', '1.2.9 1.2.0'],
    ['>1.2.3', '1.2.4', '1.2.3'],
    ['>=1.2, <2', '1.2.0 1.9.0', '2.0.0 1.1.9'],
    ['>=1.2 <2 || 3.x', '1.5.0 3.1.0', '2.5.0'],
    ['<=1.2', '1.2.9 0.1.0', '1.3.0'],
    ['<=1.2.3', '1.2.3', '1.2.4'],
    ['~1.2.3', '1.2.3 1.2.9', '1.3.0 1.2.2'],
    ['~1', '1.0.0 1.9.0', '2.0.0'],
    ['^1.2.3', '1.2.3 1.9.0', '2.0.0 1.2.2'],
    ['^0.2.3', '0.2.3 0.2.9', '0.3.0'],
    ['^0.0.3', '0.0.3', '0.0.4'],
    ['1.2 - 1.4.5', '1.2.0 1.4.5', '1.4.6 1.1.0'],
    ['>=1.0.0-0 <2.0.0', '1.0.0-rc.1 1.5.0-rc.1 1.5.0', '2.0.0'],
    ['v1.2.3', '1.2.3', '1.2.4'],
  ]
  const isIn = (version: string, constraint: string): boolean =>
    parseVersionConstraint(constraint)(parseTolerant(version) ?? assert.fail(version))
  for (const [constraint, inside, outside] of rows) {
    for (const version of inside.split(' ')) assert.ok(isIn(version, constraint), `${version} in ${constraint}`)
    for (const version of outside.split(' ')) assert.ok(!isIn(version, constraint), `${version} not in ${constraint}`)
  }
})

test('what is no constraint', () => {
  for (const text of ['a', '1.2.3.4', '>', '1.0.0 ||', '>> 1', '1,,2', '01.0.0'])
    assert.throws(() => parseVersionConstraint(text), VersionConstraintError, text)
})
