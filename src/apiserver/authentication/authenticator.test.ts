import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import type { Peer } from '#apiserver/front/exchange.ts'
import { anonymous, createAuthenticator } from './authenticator.ts'

const nobody: Peer = { address: '', certificate: undefined }
const alice = (trusted: boolean): Peer => ({
  address: '',
  certificate: { subject: { commonName: 'alice', organizations: ['dev'] }, trusted },
})
const authenticate = createAuthenticator([{ token: 'secret', username: 'bob', groups: ['ops'] }])
const refused = (error: unknown): boolean => error instanceof StatusError && error.code === 401

suite('createAuthenticator()', () => {
  test('believes a certificate of our authority', () => {
    assert.deepEqual(authenticate({ headers: {}, peer: alice(true) }), { username: 'alice', groups: ['dev', 'system:authenticated'] })
  })
  test('believes a known token', () => {
    assert.deepEqual(authenticate({ headers: { authorization: 'Bearer secret' }, peer: nobody }), {
      username: 'bob',
      groups: ['ops', 'system:authenticated'],
    })
  })
  test('prefers a valid token to a certificate of another authority', () => {
    assert.equal(authenticate({ headers: { authorization: 'Bearer secret' }, peer: alice(false) }).username, 'bob')
  })
  test('takes who shows nothing for anonymous', () => assert.equal(authenticate({ headers: {}, peer: nobody }), anonymous))
  test('refuses an unknown token', () =>
    assert.throws(() => authenticate({ headers: { authorization: 'Bearer x' }, peer: nobody }), refused))
  test('refuses another scheme', () =>
    assert.throws(() => authenticate({ headers: { authorization: 'Basic eDp5' }, peer: nobody }), refused))
  test('refuses a certificate of another authority', () => assert.throws(() => authenticate({ headers: {}, peer: alice(false) }), refused))
})
