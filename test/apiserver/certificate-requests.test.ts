import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { certificateSigningRequests } from '#api/certificates/v1/resources.ts'
import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { startEmbeddedApi } from '#apiserver/embedded-api.ts'
import { versionInfo } from '#apiserver/discovery/version.ts'
import { connectTo } from '#apiserver/http/http2-client.fixture.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import { createSigningController } from '#cluster/controllers/certificates/signing-controller.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'

const log = { info: () => {}, warn: () => {}, error: (fields: object) => console.error(fields) }

test('a user signs in with the certificate of an approved request', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'csr-'))
  try {
    const file = join(directory, 'key.pem')
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file]
    const pem = execFileSync('openssl', ['req', '-new', ...kind, '-subj', '/O=people/CN=ann'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [authority, signer] = await Promise.all([
      createTestAuthority(),
      createAuthority({ commonName: 'signer', nowMs: clock.now(), lifetimeMs: 86_400_000 }),
    ])
    const serving = await authority.issue('apiserver', [], true)
    const stop = new AbortController()
    await using api = await startEmbeddedApi({
      database: join(directory, 'state.db'),
      synchronous: 'NORMAL',
      port: 0,
      tls: { ...serving, clientCa: `${authority.cert}\n${signer.own.certificate}` },
      version: versionInfo('test', { commit: '', date: '', platform: 'linux/amd64' }),
      now: () => clock.now(),
      random: () => 0.5,
      log,
    })
    const client = api.client({ username: 'root', groups: ['system:masters'] })
    const informers = createInformerSet({ client, clock, log: silentLogger })
    const controller = createSigningController({ client, informers, clock, log: silentLogger, authority: async () => signer })
    const running = Promise.all([informers.run(stop.signal), controller.run(stop.signal)])

    const spec = { request: pem.toString('base64'), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] }
    await client.create(certificateSigningRequests, { metadata: { name: 'ann' }, spec } as CertificateSigningRequest)
    const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] }
    await client.patch(certificateSigningRequests, { name: 'ann' }, { type: 'merge', body: { status } }, { subresource: 'approval' })
    let cert = ''
    while (cert === '') {
      const found = await client.get(certificateSigningRequests, { name: 'ann' })
      cert = Buffer.from(found.status?.certificate ?? '', 'base64').toString()
      await clock.sleep(5)
    }
    using ann = connectTo({ server: api.server, authority, admin: { cert, key: readFileSync(file, 'utf8') } })
    const review = await ann.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      headers: { 'content-type': 'application/json' },
      body: {},
    })
    const { userInfo } = (review.value as { status: { userInfo: { username: string; groups: string[] } } }).status
    assert.deepEqual([userInfo.username, userInfo.groups], ['ann', ['people', 'system:authenticated']])
    stop.abort()
    await running
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
