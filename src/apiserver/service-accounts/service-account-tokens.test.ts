import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { TokenSubject } from './claims.ts'
import { createServiceAccountTokens, type ServiceAccountTokens } from './service-account-tokens.ts'
import { generateSigningKey } from './signing-key.ts'

const startMs = Date.parse('2026-01-01T00:00:00Z')
const account = { name: 'bot', uid: 'account-uid' }
const subject: TokenSubject = { namespace: 'dev', serviceaccount: account }

function tokensFixture(options: { signingKey?: string; olderKeys?: readonly string[] } = {}): {
  tokens: ServiceAccountTokens
  objects: Map<string, KubeObject>
  pass: (seconds: number) => void
} {
  let nowMs = startMs
  const objects = new Map<string, KubeObject>([
    ['/serviceaccounts/dev/bot', { metadata: { name: 'bot', uid: 'account-uid' } }],
    ['/pods/dev/p', { metadata: { name: 'p', uid: 'pod-uid' } }],
    ['/secrets/dev/s', { metadata: { name: 's', uid: 'secret-uid' } }],
    ['/nodes//n', { metadata: { name: 'n', uid: 'node-uid' } }],
  ])
  const tokens = createServiceAccountTokens({
    signingKey: generateSigningKey(),
    ...options,
    store: {
      get(resource, namespace, name) {
        const object = objects.get(`${resource}/${namespace}/${name}`)
        return object === undefined ? undefined : { object, revision: 1, json: Buffer.alloc(0) }
      },
    },
    now: () => nowMs,
    randomUuid: () => 'id-1',
  })
  return { tokens, objects, pass: (seconds) => (nowMs += seconds * 1000) }
}

const issue = ({ tokens }: { tokens: ServiceAccountTokens }, of: TokenSubject = subject): string => tokens.issue(of, tokens.audiences, 600)

suite('createServiceAccountTokens()', () => {
  test('verifies its own tokens, later from its cache', () => {
    const { tokens } = tokensFixture()
    const token = issue({ tokens })
    const expected = {
      username: 'system:serviceaccount:dev:bot',
      uid: 'account-uid',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:dev', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'] },
    }
    assert.deepEqual(tokens.check(token), { user: expected, audiences: tokens.audiences })
    assert.equal(tokens.check(token)?.user, tokens.check(token)?.user)
  })
  test('returns the bound objects', () => {
    const { tokens } = tokensFixture()
    const token = issue({ tokens }, { ...subject, pod: { name: 'p', uid: 'pod-uid' }, node: { name: 'n', uid: 'node-uid' } })
    const { 'authentication.kubernetes.io/credential-id': _id, ...extra } = tokens.check(token)?.user?.extra ?? {}
    assert.deepEqual(extra, {
      'authentication.kubernetes.io/node-name': ['n'],
      'authentication.kubernetes.io/node-uid': ['node-uid'],
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['pod-uid'],
    })
  })
  test('refuses an expired token, although cached', () => {
    const { tokens, pass } = tokensFixture()
    const token = issue({ tokens })
    assert.ok(tokens.check(token)?.user)
    pass(599)
    assert.ok(tokens.check(token)?.user)
    pass(1)
    assert.equal(tokens.check(token)?.problem, 'service account token has expired')
  })
  test('refuses a token before its nbf', () => {
    const { tokens, pass } = tokensFixture()
    const token = issue({ tokens })
    pass(-3600)
    assert.equal(tokens.check(token)?.problem, 'service account token is not valid yet')
  })
  test('refuses a token for other audiences', () => {
    const { tokens } = tokensFixture()
    const token = tokens.issue(subject, ['vault'], 600)
    assert.match(tokens.check(token)?.problem ?? '', /audiences/)
    const verdict = tokens.check(token, ['vault', 'other'])
    assert.deepEqual(verdict?.user === undefined ? [] : verdict.audiences, ['vault'])
  })

  const bound: readonly (readonly [string, TokenSubject, string])[] = [
    ['account', subject, '/serviceaccounts/dev/bot'],
    ['pod', { ...subject, pod: { name: 'p', uid: 'pod-uid' } }, '/pods/dev/p'],
    ['secret', { ...subject, secret: { name: 's', uid: 'secret-uid' } }, '/secrets/dev/s'],
    ['node', { ...subject, node: { name: 'n', uid: 'node-uid' } }, '/nodes//n'],
  ]
  for (const [what, of, key] of bound) {
    test(`refuses a token without its ${what}, even when recreated`, () => {
      const { tokens, objects } = tokensFixture()
      const token = issue({ tokens }, of)
      assert.ok(tokens.check(token)?.user)
      objects.delete(key)
      assert.ok(tokens.check(token)?.problem)
      objects.set(key, { metadata: { uid: 'another' } })
      assert.ok(tokens.check(token)?.problem)
    })
    test(`accepts a token for a minute after the deletionTimestamp of its ${what}`, () => {
      const { tokens, objects, pass } = tokensFixture()
      const token = issue({ tokens }, of)
      const present = objects.get(key)
      objects.set(key, { metadata: { ...present?.metadata, deletionTimestamp: new Date(startMs).toISOString() } })
      pass(59)
      assert.ok(tokens.check(token)?.user)
      pass(2)
      assert.ok(tokens.check(token)?.problem)
    })
  }

  test('refuses tokens of other keys, without signature, or modified', () => {
    const { tokens } = tokensFixture()
    const token = issue({ tokens })
    const [head = '', body = '', signature = ''] = token.split('.')
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const forged = [
      issue(tokensFixture()),
      `${head}.${body}.`,
      `${head}.${body}`,
      `${encode({ alg: 'none', kid })}.${body}.`,
      `${encode({ alg: 'HS256', kid })}.${body}.${signature}`,
      `${head}.${encode({ ...claims, exp: 9e9 })}.${signature}`,
      `${encode({ alg: 'ES256', kid, crit: ['x'] })}.${body}.${signature}`,
      `${token}.x`,
      'x.y.z',
      '..',
      '',
      'x'.repeat(100_000),
    ]
    for (const each of forged) assert.equal(tokens.check(each), undefined, each.slice(0, 80))
  })
  test('refuses any other text without an exception', () => {
    const { tokens } = tokensFixture()
    const token = issue({ tokens })
    const changed = fc
      .tuple(fc.nat(token.length - 1), fc.string({ minLength: 0, maxLength: 3 }))
      .map(([at, text]) => `${token.slice(0, at)}${text}${token.slice(at + 1)}`)
    const parts = fc.array(
      fc.oneof(
        fc.base64String(),
        fc.json().map((json) => Buffer.from(json).toString('base64url')),
      ),
      { maxLength: 4 },
    )
    const anything = fc.oneof(
      fc.string(),
      changed,
      parts.map((list) => list.join('.')),
    )
    fc.assert(
      fc.property(anything, (text) => {
        assert.equal(tokens.check(text) !== undefined, text === token)
      }),
      { numRuns: 2000 },
    )
  })
  test('accepts tokens of an older key', () => {
    const older = generateSigningKey()
    const token = issue(tokensFixture({ signingKey: older }))
    const { tokens } = tokensFixture({ olderKeys: [older] })
    assert.ok(tokens.check(token)?.user)
    assert.equal(tokens.publicKeys.length, 2)
  })
  test('supports RSA keys, and publishes no private part of any key', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { tokens } = tokensFixture({ signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string })
    assert.ok(tokens.check(issue({ tokens }))?.user)
    assert.deepEqual(Object.keys(tokens.publicKeys[0] ?? {}).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    assert.deepEqual(Object.keys(tokensFixture().tokens.publicKeys[0] ?? {}).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })
  test('refuses unsupported keys', () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    assert.throws(() => tokensFixture({ signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }), TypeError)
  })
})
