import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { StatusError } from '#apimachinery/errors.ts'
import { decodeContinue, encodeContinue } from './continue-token.ts'

const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9.:]{0,20}[a-z0-9])?$/)

test('decodeContinue() reads back what encodeContinue() wrote', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.option(part, { nil: '' }), part, fc.option(fc.nat()), (revision, namespace, name, at) => {
      const token = { revision, namespace, name, ...(at === null ? {} : { at }) }
      assert.deepEqual(decodeContinue(encodeContinue(token)), token)
    }),
  )
})

test('decodeContinue() answers 400 to any other text', () => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const written = fc.oneof(
    fc.string(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
  )
  const refused = (text: string): void =>
    assert.throws(
      () => decodeContinue(text),
      (error) => error instanceof StatusError && error.code === 400,
    )
  fc.assert(fc.property(written, refused))
  const v = 'meta.k8s.io/v1'
  for (const value of [
    { v: 'v2', rv: 1, start: 'a\0' },
    { v, rv: 0, start: 'a\0' },
    { v, rv: 1.5, start: 'a\0' },
    { v, rv: 1, start: '' },
    { v, rv: 1, start: 'a/../b\0' },
  ]) {
    refused(encode(value))
  }
})
