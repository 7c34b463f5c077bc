import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { UserInfo } from '#apiserver/request/api-request.ts'
import { forwardedAnswer, forwardedRequest, identityHeaders } from './forwarded-headers.ts'

const bob: UserInfo = { username: 'bob', groups: ['dev', 'ops'] }
const forward = (headers: Record<string, string | string[]>, user = bob) => forwardedRequest(headers, user, 'audit-1', '10.0.0.7:4711')
const ours = [
  ['x-forwarded-for', '10.0.0.7'],
  ['audit-id', 'audit-1'],
  ['x-remote-user', 'bob'],
  ['x-remote-group', 'dev'],
  ['x-remote-group', 'ops'],
]

suite('forwardedRequest()', () => {
  const cases: readonly [string, Record<string, string | string[]>, readonly (readonly [string, string])[]][] = [
    [
      'hands on what is about the message',
      { accept: 'text/plain', 'content-length': '3' },
      [
        ['accept', 'text/plain'],
        ['content-length', '3'],
      ],
    ],
    ['keeps credentials', { authorization: 'Bearer secret' }, []],
    ['keeps who is impersonated', { 'impersonate-user': 'root', 'impersonate-group': 'system:masters', 'impersonate-extra-a': 'b' }, []],
    [
      'keeps forged identities',
      { 'x-remote-user': 'root', 'x-remote-uid': '0', 'x-remote-group': ['a', 'b'], 'x-remote-extra-a%2fb': 'c' },
      [],
    ],
    [
      'keeps what is about the connection',
      { connection: 'close, X-Custom', 'x-custom': '1', te: 'trailers', upgrade: 'h2c', host: 'a' },
      [],
    ],
    ['drops pseudo headers', { ':path': '/', ':authority': 'a' }, []],
  ]
  for (const [what, sent, expected] of cases) test(what, () => assert.deepEqual(forward(sent), [...expected, ...ours]))

  test('appends to X-Forwarded-For', () =>
    assert.deepEqual(forward({ 'x-forwarded-for': '1.2.3.4' }).find(([name]) => name === 'x-forwarded-for')?.[1], '1.2.3.4, 10.0.0.7'))

  test('removes identity headers of the client', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'authorization',
        'x-remote-user',
        'x-remote-uid',
        'x-remote-group',
        'impersonate-user',
        'impersonate-uid',
        'connection',
        'accept',
      ),
      fc.stringMatching(/^(x-remote-extra-|impersonate-extra-|x-)[a-z0-9%_.-]{1,10}$/),
    )
    const value = fc.constantFrom('forged', 'x-remote-user', 'close, x-remote-group')
    fc.assert(
      fc.property(fc.dictionary(name, value), (headers) => {
        const result = forward(headers)
        assert.deepEqual(
          result.filter(([key]) => /^(x-remote-|impersonate-|authorization$)/.test(key)),
          ours.slice(2),
        )
      }),
      { numRuns: 1000 },
    )
  })
})

suite('identityHeaders()', () => {
  test('sends name, uid, groups and extra, and escapes keys', () => {
    const user: UserInfo = {
      username: 'jürgen',
      uid: 'u-1',
      groups: [],
      extra: { 'authentication.kubernetes.io/node-name': ['n1', 'n2'], 'Ä b': ['c'] },
    }
    assert.deepEqual(identityHeaders(user), [
      // UTF-8 bytes as Latin-1.
      ['x-remote-user', 'jÃ¼rgen'],
      ['x-remote-uid', 'u-1'],
      ['x-remote-extra-authentication.kubernetes.io%2fnode-name', 'n1'],
      ['x-remote-extra-authentication.kubernetes.io%2fnode-name', 'n2'],
      ['x-remote-extra-%c3%84%20b', 'c'],
    ])
  })
})

test('forwardedAnswer() keeps repeated headers and drops hop-by-hop ones', () => {
  const headers = [
    ['set-cookie', 'a'],
    ['set-cookie', 'b'],
    ['connection', 'keep-alive, x-hop'],
    ['x-hop', '1'],
    ['transfer-encoding', 'chunked'],
    ['warning', '299 - "x"'],
  ] as const
  assert.deepEqual(forwardedAnswer(headers), { 'set-cookie': ['a', 'b'], warning: '299 - "x"' })
})
