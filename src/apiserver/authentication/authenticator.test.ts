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
  const proxy = (commonName: string, isProxy: boolean): Peer => ({
    address: '',
    certificate: { subject: { commonName, organizations: [] }, trusted: false, isProxy },
  })
  const remote = { 'x-remote-user': 'carol', 'x-remote-group': ['a', 'b, c'], 'x-remote-extra-team%2fname': 'red', 'x-remote-uid': '7' }
  test('believes a front proxy about others', () =>
    assert.deepEqual(authenticate({ headers: remote, peer: proxy('front', true) }), {
      username: 'carol',
      uid: '7',
      groups: ['a', 'b, c', 'system:authenticated'],
      extra: { 'team/name': ['red'] },
    }))
  test('refuses a front proxy of another name', () =>
    assert.throws(() => authenticate({ headers: remote, peer: proxy('other', true) }), refused))
  test('refuses who claims to be a front proxy', () =>
    assert.throws(() => authenticate({ headers: remote, peer: proxy('front', false) }), refused))
  test('ignores the headers of front proxies from users', () =>
    assert.equal(authenticate({ headers: remote, peer: alice(true) }).username, 'alice'))
  test('ignores the headers of front proxies from nobody', () => assert.equal(authenticate({ headers: remote, peer: nobody }), anonymous))
  test('refuses an unknown token', () =>
    assert.throws(() => authenticate({ headers: { authorization: 'Bearer x' }, peer: nobody }), refused))
  test('refuses another scheme', () =>
    assert.throws(() => authenticate({ headers: { authorization: 'Basic eDp5' }, peer: nobody }), refused))
  test('refuses a certificate of another authority', () => assert.throws(() => authenticate({ headers: {}, peer: alice(false) }), refused))
})
