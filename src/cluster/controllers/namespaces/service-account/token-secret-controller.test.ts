import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { secrets, serviceAccounts } from '#api/core/v1/resources.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { decideTokenSecret, type TokenSecretStep } from './token-secret-controller.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

suite('decideTokenSecret()', () => {
  const root = { ca: 'CA', namespace: 'dev' }
  const account = { metadata: { name: 'bot', uid: 'u' } }
  const full = { token: 'x', 'ca.crt': base64('CA'), namespace: base64('dev') }
  const secret = (uid: string | undefined, data: Record<string, string>, name = 'bot'): Secret => ({
    metadata: {
      annotations: {
        ...(name === '' ? {} : { 'kubernetes.io/service-account.name': name }),
        ...(uid === undefined ? {} : { 'kubernetes.io/service-account.uid': uid }),
      },
    },
    data,
  })
  const cases: readonly (readonly [string, Secret, typeof account | undefined, TokenSecretStep['kind']])[] = [
    ['fills an empty one', secret(undefined, {}), account, 'fill'],
    ['fills one without token', secret('u', { ...full, token: '' }), account, 'fill'],
    ['fills in a new authority', secret('u', { ...full, 'ca.crt': base64('old') }), account, 'fill'],
    ['does not change a populated one', secret('u', full), account, 'none'],
    ['deletes one of a missing account', secret('u', full), undefined, 'delete'],
    ['deletes one of a recreated account', secret('before', full), account, 'delete'],
    ['ignores a secret without account', secret(undefined, {}, ''), undefined, 'none'],
    ['ignores one that is being deleted', { metadata: { ...secret('u', {}).metadata, deletionTimestamp: 'now' } }, account, 'none'],
  ]
  for (const [what, of, by, kind] of cases) test(what, () => assert.equal(decideTokenSecret(of, by, root).kind, kind))
})

test('a token secret is populated, and deleted with its account', async () => {
  await using cluster = await startEmbeddedCluster()
  const { client } = cluster
  const key = { namespace: 'default', name: 'bot-token' }
  const until = async (holds: (secret: Secret | undefined) => boolean): Promise<Secret | undefined> => {
    for (;;) {
      const found = await client.get(secrets, key).catch((error: unknown) => {
        if (isNotFound(error)) return undefined
        throw error
      })
      if (holds(found)) return found
      await systemClock.sleep(5)
    }
  }
  await client.create(serviceAccounts, { metadata: { namespace: 'default', name: 'bot' } })
  await client.create(secrets, {
    metadata: { ...key, annotations: { 'kubernetes.io/service-account.name': 'bot' } },
    type: 'kubernetes.io/service-account-token',
  })
  const filled = await until((secret) => secret?.data?.['token'] !== undefined)
  const [, claims = ''] = Buffer.from(filled?.data?.['token'] ?? '', 'base64')
    .toString()
    .split('.')
  const { sub, 'kubernetes.io': subject } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
    sub: string
    'kubernetes.io': { secret: object }
  }
  assert.equal(sub, 'system:serviceaccount:default:bot')
  assert.deepEqual(subject.secret, { name: 'bot-token', uid: filled?.metadata.uid })
  assert.deepEqual([filled?.data?.['ca.crt'], filled?.data?.['namespace']], [base64('CA'), base64('default')])
  await client.delete(serviceAccounts, { namespace: 'default', name: 'bot' })
  await until((secret) => secret === undefined)
})
