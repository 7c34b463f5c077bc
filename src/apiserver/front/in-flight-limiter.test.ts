import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import { parseRequestInfo } from '#apiserver/request/request-info.ts'
import { createInFlightLimiter } from './in-flight-limiter.ts'

const bob = { username: 'bob', groups: [] }
const eve = { username: 'eve', groups: [] }
const root = { username: 'root', groups: ['system:masters'] }
const info = (method: string, path: string): ReturnType<typeof parseRequestInfo> => parseRequestInfo(method, path, new URLSearchParams())
const create = info('POST', '/api/v1/namespaces/a/pods')
const list = info('GET', '/api/v1/pods')
const isTooMany = (error: unknown): boolean => error instanceof StatusError && error.code === 429

suite('createInFlightLimiter()', () => {
  test('limits one user to half of the requests, and releases finished ones', () => {
    const limiter = createInFlightLimiter({ reading: 4, mutating: 4 })
    for (let count = 0; count < 2; count++) assert.equal(limiter.enter(create, bob), 'mutating')
    assert.throws(() => limiter.enter(create, bob), isTooMany)
    assert.equal(limiter.enter(list, bob), 'reading')
    assert.equal(limiter.enter(create, eve), 'mutating')
    limiter.leave('mutating', bob)
    assert.equal(limiter.enter(create, bob), 'mutating')
  })
  test('lets system:masters use all', () => {
    const limiter = createInFlightLimiter({ reading: 4, mutating: 4 })
    for (let count = 0; count < 4; count++) assert.equal(limiter.enter(create, root), 'mutating')
    assert.throws(() => limiter.enter(create, root), isTooMany)
    assert.throws(() => limiter.enter(create, bob), isTooMany)
    limiter.leave('mutating', root)
    assert.equal(limiter.enter(create, bob), 'mutating')
  })
  for (const [method, path] of [
    ['GET', '/api/v1/watch/pods'],
    ['GET', '/api/v1/namespaces/a/pods/b/log'],
  ] as const)
    test(`does not count ${path}, which may be long-running`, () =>
      assert.equal(createInFlightLimiter({ reading: 1, mutating: 1 }).enter(info(method, path), bob), undefined))
})
