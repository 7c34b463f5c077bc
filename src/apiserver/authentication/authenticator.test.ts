import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { StatusError } from '#apimachinery/errors.ts'
import type { Peer } from '#apiserver/http/exchange.ts'
import { anonymous, createAuthenticator } from './authenticator.ts'
import { createTokenCheck } from './bearer-tokens.ts'

const nobody: Peer = { address: '', certificate: undefined }
const alice = (trusted: boolean): Peer => ({
  address: '',
  certificate: { subject: { commonName: 'alice', organizations: ['dev'] }, trusted },
})
const authenticate = createAuthenticator({
  checkToken: createTokenCheck([{ token: 'secret', username: 'bob', groups: ['ops'] }], undefined),
  proxyNames: ['front'],
})
const refused = (error: unknown): boolean => error instanceof StatusError && error.code === 401

suite('createAuthenticator()', () => {
  test('accepts a certificate of the client CA', () => {
    assert.deepEqual(authenticate({ headers: {}, peer: alice(true) }), { username: 'alice', groups: ['dev', 'system:authenticated'] })
  })
  test('accepts a known token', () => {
    assert.deepEqual(authenticate({ headers: { authorization: 'Bearer secret' }, peer: nobody }), {
      username: 'bob',
      groups: ['ops', 'system:authenticated'],
    })
  })
  test('prefers a valid token to a certificate of another CA', () => {
    assert.equal(authenticate({ headers: { authorization: 'Bearer secret' }, peer: alice(false) }).username, 'bob')
  })
  test('treats requests without credentials as anonymous', () => assert.equal(authenticate({ headers: {}, peer: nobody }), anonymous))
  const proxy = (commonName: string, isProxy: boolean): Peer => ({
    address: '',
    certificate: { subject: { commonName, organizations: [] }, trusted: false, isProxy },
  })
  const remote = { 'x-remote-user': 'carol', 'x-remote-group': ['a', 'b, c'], 'x-remote-extra-team%2fname': 'red', 'x-remote-uid': '7' }
  test('accepts the user of a front proxy', () =>
    assert.deepEqual(authenticate({ headers: remote, peer: proxy('front', true) }), {
      username: 'carol',
      uid: '7',
      groups: ['a', 'b, c', 'system:authenticated'],
      extra: { 'team/name': ['red'] },
    }))
  test('refuses a front proxy with another name', () =>
    assert.throws(() => authenticate({ headers: remote, peer: proxy('other', true) }), refused))
  test('refuses identity headers with a certificate of another CA', () =>
    assert.throws(() => authenticate({ headers: remote, peer: proxy('front', false) }), refused))
  test('ignores identity headers of users', () => assert.equal(authenticate({ headers: remote, peer: alice(true) }).username, 'alice'))
  test('ignores identity headers of anonymous clients', () => assert.equal(authenticate({ headers: remote, peer: nobody }), anonymous))
  test('refuses an unknown token', () =>
    assert.throws(() => authenticate({ headers: { authorization: 'Bearer x' }, peer: nobody }), refused))
  test('refuses another scheme', () =>
    assert.throws(() => authenticate({ headers: { authorization: 'Basic eDp5' }, peer: nobody }), refused))
  test('refuses a certificate of another CA', () => assert.throws(() => authenticate({ headers: {}, peer: alice(false) }), refused))
})
