import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { noFrontProxy, parseFrontProxy, readCaller } from './front-proxy.ts'

const data = {
  'requestheader-client-ca-file': 'PEM',
  'requestheader-allowed-names': '["front-proxy"]',
  'requestheader-username-headers': '["X-First-User","X-Remote-User"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
}
const proxy = parseFrontProxy(data)

suite('parseFrontProxy()', () => {
  test('reads the authority and the header names', () => {
    assert.deepEqual(proxy, {
      authority: 'PEM',
      allowedNames: ['front-proxy'],
      userHeaders: ['x-first-user', 'x-remote-user'],
      uidHeaders: ['x-remote-uid'],
      groupHeaders: ['x-remote-group'],
      extraPrefixes: ['x-remote-extra-'],
    })
  })

  const { 'requestheader-client-ca-file': _, ...withoutAuthority } = data
  const rows: readonly (readonly [string, Record<string, string> | undefined])[] = [
    ['there is no data', undefined],
    ['there is no authority', withoutAuthority],
    ['the names are no list', { ...data, 'requestheader-allowed-names': 'front-proxy' }],
    ['a name is no text', { ...data, 'requestheader-allowed-names': '[1]' }],
  ]
  for (const [name, broken] of rows) {
    test(`trusts no proxy when ${name}`, () => assert.deepEqual(parseFrontProxy(broken), noFrontProxy))
  }
})

suite('readCaller()', () => {
  test('reads every group, text beyond ASCII, and encoded keys', () => {
    const latin = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
    const caller = readCaller(proxy, {
      'x-remote-user': [latin('käthe')],
      'x-remote-uid': ['u1'],
      'x-remote-group': ['ops', 'a, b'],
      'x-remote-extra-acme.test%2fscope': ['one', 'two'],
      'x-remote-extra-__proto__': ['x'],
      'x-other': ['y'],
    })
    assert.equal(caller?.username, 'käthe')
    assert.equal(caller.uid, 'u1')
    assert.deepEqual(caller.groups, ['ops', 'a, b'])
    assert.deepEqual(Object.entries(caller.extra), [
      ['acme.test/scope', ['one', 'two']],
      ['__proto__', ['x']],
    ])
  })

  test('uses the first non-empty header', () => {
    assert.equal(readCaller(proxy, { 'x-first-user': [''], 'x-remote-user': ['bob'] })?.username, 'bob')
    assert.equal(readCaller(proxy, { 'x-first-user': ['ann'], 'x-remote-user': ['bob'] })?.username, 'ann')
  })

  test('returns no caller without a user', () => {
    assert.equal(readCaller(proxy, { 'x-remote-group': ['system:masters'] }), undefined)
    assert.equal(readCaller(noFrontProxy, { 'x-remote-user': ['bob'] }), undefined)
  })
})
