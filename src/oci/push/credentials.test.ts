import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { credentialsIn, CredentialsUnusable, readCredentials } from './credentials.ts'
import { registryAddress } from './registry-address.ts'

const auth = Buffer.from('user:a:b').toString('base64')
const credentials = { username: 'user', password: 'a:b' }

for (const [registry, key] of [
  ['registry.example.com:5000', 'registry.example.com:5000'],
  ['registry.example.com', 'https://registry.example.com'],
  ['docker.io', 'https://index.docker.io/v1/'],
] as const) {
  test(`credentials of ${registry} are found under "${key}"`, () =>
    assert.deepEqual(credentialsIn({ auths: { [key]: { auth } } }, registry, 'file'), { credentials }))
}

test('credentials in a helper program, which is not run, are told in the hint', () => {
  const file = '/home/x/.docker/config.json'
  const { credentials: none, hint = '' } = credentialsIn({ auths: { 'ghcr.io': {} }, credsStore: 'desktop' }, 'ghcr.io', file)
  assert.equal(none, undefined)
  assert.ok(hint.includes(file) && hint.includes('desktop'), hint)
  assert.deepEqual(credentialsIn({ auths: { other: { auth } } }, 'ghcr.io', file), {})
})

test('readCredentials() reads the file of docker login, and refuses another one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'docker-'))
  t.after(() => rm(folder, { recursive: true }))
  const env = { DOCKER_CONFIG: folder }
  assert.deepEqual(await readCredentials('ghcr.io', env), {})
  await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { 'ghcr.io': { auth } } }))
  assert.deepEqual(await readCredentials('ghcr.io', env), { credentials })
  await writeFile(join(folder, 'config.json'), '{')
  await assert.rejects(readCredentials('ghcr.io', env), CredentialsUnusable)
})

test("registryAddress() knows the host of Docker Hub's API", () => {
  assert.deepEqual(registryAddress('docker.io/team', false), { name: 'docker.io', origin: 'https://registry-1.docker.io', prefix: 'team/' })
  assert.deepEqual(registryAddress('localhost:5000', true), { name: 'localhost:5000', origin: 'http://localhost:5000', prefix: '' })
})
