import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import { deleteQuery, fieldManagerOf, listQuery, mutationOptions, plainListQuery, watchQuery } from './query-options.ts'

const query = (text: string): URLSearchParams => new URLSearchParams(text)
const failsWith = (code: number) => (error: unknown) => error instanceof StatusError && error.code === code

suite('listQuery()', () => {
  test('sets no limits for an empty query', () => {
    const nothing = { labelSelector: '', fieldSelector: '', limit: 0, continue: '', resourceVersion: '', resourceVersionMatch: '' }
    assert.deepEqual(listQuery(query(''), ''), nothing)
  })
  test('narrows to the name in the path', () => {
    assert.equal(listQuery(query(''), 'a').fieldSelector, 'metadata.name=a')
    assert.equal(listQuery(query('fieldSelector=spec.x%3D1'), 'a').fieldSelector, 'metadata.name=a,spec.x=1')
    assert.throws(() => listQuery(query('fieldSelector=metadata.name%3Db'), 'a'), failsWith(400))
  })
})

test('watchQuery() distinguishes an absent flag from a false one', () => {
  assert.equal(watchQuery(query(''), '').sendInitialEvents, undefined)
  assert.equal(watchQuery(query('sendInitialEvents=false'), '').sendInitialEvents, false)
  assert.equal(watchQuery(query('timeoutSeconds=7'), '').timeoutSeconds, 7)
})

test('mutationOptions() defaults fieldValidation to Warn', () => {
  assert.deepEqual(mutationOptions(query(''), 'CreateOptions'), { dryRun: false, fieldValidation: 'Warn' })
  assert.deepEqual(mutationOptions(query('dryRun=All&fieldValidation=Strict'), 'CreateOptions'), {
    dryRun: true,
    fieldValidation: 'Strict',
  })
  assert.throws(() => mutationOptions(query('fieldValidation=Maybe'), 'CreateOptions'), failsWith(422))
})

test('fieldManagerOf() returns the parameter, else the name in the User-Agent', () => {
  assert.equal(fieldManagerOf(query('fieldManager=me'), 'kubectl/v1.33'), 'me')
  assert.equal(fieldManagerOf(query(''), 'kubectl/v1.33 (linux)'), 'kubectl')
  assert.equal(fieldManagerOf(query(''), undefined), 'unknown')
  assert.throws(() => mutationOptions(query(`fieldManager=${'x'.repeat(129)}`), 'CreateOptions'), failsWith(422))
  assert.throws(() => mutationOptions(query('fieldManager=a%0Ab'), 'PatchOptions'), {
    message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
  })
})

suite('deleteQuery()', () => {
  test('prefers the body to the query', () => {
    const body = { gracePeriodSeconds: 0, propagationPolicy: 'Foreground', preconditions: { uid: 'u' } } as object
    assert.deepEqual(deleteQuery(query('gracePeriodSeconds=30'), body), {
      dryRun: false,
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
      preconditions: { uid: 'u' },
    })
  })
  test('uses the query when there is no body', () => {
    assert.deepEqual(deleteQuery(query('gracePeriodSeconds=30&propagationPolicy=Orphan&dryRun=All'), undefined), {
      dryRun: true,
      gracePeriodSeconds: 30,
      propagationPolicy: 'Orphan',
    })
  })
  test('understands orphanDependents', () => {
    assert.equal(deleteQuery(query(''), { orphanDependents: true } as object).propagationPolicy, 'Orphan')
    assert.throws(() => deleteQuery(query(''), { orphanDependents: true, propagationPolicy: 'Orphan' } as object), failsWith(422))
    assert.throws(() => deleteQuery(query(''), { propagationPolicy: 'Sometimes' } as object), failsWith(422))
  })
})

test('plainListQuery() refuses options of a watch', () => {
  assert.throws(() => plainListQuery(new URLSearchParams('sendInitialEvents=true'), ''), /sendInitialEvents is forbidden for list/)
  assert.equal(plainListQuery(new URLSearchParams('limit=3'), '').limit, 3)
})
