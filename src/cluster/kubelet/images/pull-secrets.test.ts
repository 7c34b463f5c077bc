import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loginsFor, loginsIn, readPodLogins } from './pull-secrets.ts'

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const auth = Buffer.from('me:se:cret').toString('base64')

suite('pull secrets', () => {
  test('logins are read in all forms that Kubernetes has', () => {
    const auths = {
      'https://index.docker.io/v1/': { auth },
      'quay.io': { username: 'you', password: 'secret', auth },
      'broken.io': { auth: '!' },
      'empty.io': {},
    }
    const logins = [
      { address: 'index.docker.io', user: 'me', password: 'se:cret' },
      { address: 'quay.io', user: 'you', password: 'secret' },
    ]
    assert.deepEqual(loginsIn(new Map([['.dockerconfigjson', bytes({ auths })]])), logins)
    assert.deepEqual(loginsIn(new Map([['.dockercfg', bytes(auths)]])), logins)
  })

  for (const text of ['', '[]', '{"auths":[]}', '{}'])
    test(`${JSON.stringify(text)} has none`, () => assert.equal(loginsIn(new Map([['.dockerconfigjson', bytes(text)]])), undefined))

  const covered: Readonly<Record<string, readonly [host: string, repository: string, isCovered: boolean]>> = {
    'quay.io': ['quay.io', 'a/b', true],
    'quay.io/a': ['quay.io', 'a/b', true],
    'quay.io/a/b': ['quay.io', 'a/b', true],
    'quay.io/a/': ['quay.io', 'ab', false],
    'quay.io:443': ['quay.io', 'a/b', false],
    'localhost:5000': ['localhost:5000', 'a', true],
    '*.example.com': ['one.example.com', 'a', true],
    '*.com': ['one.example.com', 'a', false],
    'quay-io': ['quay.io', 'a', false],
    'docker.io': ['registry-1.docker.io', 'library/a', true],
  }
  for (const [address, [host, repository, isCovered]] of Object.entries(covered))
    test(`${address} ${isCovered ? 'is' : 'is not'} for ${host}/${repository}`, () => {
      const auths = bytes({ auths: { [address]: { auth } } })
      const logins = loginsIn(new Map([['.dockerconfigjson', auths]])) ?? []
      assert.equal(loginsFor(host, repository, logins).length, isCovered ? 1 : 0)
    })

  test('the longest address comes first', () => {
    const logins = ['quay.io', 'quay.io/a/b', 'quay.io/a'].map((address) => ({ address, user: '', password: '' }))
    assert.deepEqual(
      loginsFor('quay.io', 'a/b', logins).map(({ address }) => address),
      ['quay.io/a/b', 'quay.io/a', 'quay.io'],
    )
  })

  test('secrets of a pod that are missing or without logins are named', async () => {
    const source = {
      secret: async (_namespace: string, name: string) =>
        name === 'good'
          ? new Map([['.dockerconfigjson', bytes({ auths: { 'quay.io': { auth } } })]])
          : name === 'bad'
            ? new Map()
            : undefined,
    }
    const imagePullSecrets = [{ name: 'good' }, { name: 'bad' }, { name: 'missing' }]
    const { logins, unusable } = await readPodLogins(source, { metadata: { namespace: 'a' }, spec: { containers: [], imagePullSecrets } })
    assert.deepEqual([logins.length, unusable], [1, ['bad', 'missing']])
  })
})
