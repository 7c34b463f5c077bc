import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { compareReleases, isReleaseVersion } from './release-version.ts'

suite('versions of releases', () => {
  test('are compared by their numbers', () => {
    assert.ok(compareReleases('v0.10.0', 'v0.9.0') > 0)
    assert.ok(compareReleases('devel', 'v0.0.0') < 0)
    assert.equal(compareReleases('1.2.3', 'v1.2.3-rc.1'), 0)
  })

  test('are recognized by their format', () => {
    for (const text of ['v0.1.0', 'v1.2.3-rc.1']) assert.ok(isReleaseVersion(text), text)
    for (const text of ['', 'v1.2', '1.2.3', 'devel', ' v1.2.3']) assert.ok(!isReleaseVersion(text), text)
  })
})
