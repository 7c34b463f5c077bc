import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readCertificateDurations } from './durations.ts'

const hour = 3_600_000
const { terms } = readCertificateDurations({ spec: {} })

suite('readTerms()', () => {
  const termsOf = (selfSigned: object): ReturnType<typeof readCertificateDurations> =>
    readCertificateDurations({ spec: { certificateRotateStrategy: { selfSigned } } })
  const fieldsOf = (selfSigned: object): string[] =>
    termsOf(selfSigned).problems.map(({ field }) => field.replace('spec.certificateRotateStrategy.selfSigned', ''))

  test('has defaults', () => {
    assert.deepEqual(terms, {
      ca: { durationMs: 168 * hour, renewBeforeMs: 168 * hour * 0.2 },
      server: { durationMs: 24 * hour, renewBeforeMs: 24 * hour * 0.2 },
    })
  })

  test('reads durations, also deprecated fields', () => {
    const wanted = { ca: { durationMs: 48 * hour, renewBeforeMs: hour }, server: { durationMs: 10 * hour, renewBeforeMs: 2 * hour } }
    assert.deepEqual(termsOf({ ca: { duration: '48h', renewBefore: '1h' }, server: { duration: '10h' } }).terms, wanted)
    assert.deepEqual(termsOf({ caRotateInterval: '48h0m0s', caOverlapInterval: '60m', certRotateInterval: '10h' }).terms, wanted)
  })

  const bad: readonly (readonly [object, readonly string[]])[] = [
    [{ ca: { duration: 'soon' } }, ['.ca.duration']],
    [{ ca: { duration: '-5h' } }, ['.ca.duration']],
    [{ ca: { duration: '2h', renewBefore: '2h' }, server: { duration: '1h' } }, ['.ca.renewBefore']],
    [{ server: { duration: '200h' } }, ['.server.duration']],
    [{ server: { duration: '30s' } }, ['.server.duration']],
    [{ server: { duration: '5h' }, caRotateInterval: '100h' }, ['']],
  ]
  for (const [selfSigned, fields] of bad) {
    test(`refuses ${JSON.stringify(selfSigned)}, and uses the defaults`, () => {
      assert.deepEqual(fieldsOf(selfSigned), fields)
      assert.deepEqual(termsOf(selfSigned).terms, terms)
    })
  }
})
