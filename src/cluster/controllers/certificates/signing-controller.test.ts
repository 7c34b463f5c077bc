import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { certificateSigningRequests } from '#api/certificates/v1/resources.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { signers } from './decide.ts'

const pem = execFileSync(
  'openssl',
  ['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null', '-subj', '/O=people/CN=ann'],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
)

test('approved requests are signed, and those against the rules fail', async () => {
  await using cluster = await startEmbeddedCluster()
  const { client } = cluster
  const ask = async (name: string, usages: string[]): Promise<CertificateSigningRequest> => {
    const spec = { request: Buffer.from(pem).toString('base64'), signerName: signers.client, usages, expirationSeconds: 3600 }
    await client.create(certificateSigningRequests, { metadata: { name }, spec } as CertificateSigningRequest)
    const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'yes' }] }
    await client.patch(certificateSigningRequests, { name }, { type: 'merge', body: { status } }, { subresource: 'approval' })
    for (;;) {
      const found = await client.get(certificateSigningRequests, { name })
      if (found.status?.certificate !== undefined || found.status?.conditions?.some(({ type }) => type === 'Failed')) return found
      await systemClock.sleep(5)
    }
  }
  const { status } = await ask('right', ['client auth'])
  const certificate = new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64'))
  assert.equal(certificate.subject, 'O=people\nCN=ann')
  const left = certificate.validToDate.getTime() - systemClock.now()
  assert.ok(left > 3_500_000 && left <= 3_600_000, `${left} ms`)

  const wrong = await ask('wrong', ['server auth'])
  assert.equal(wrong.status?.certificate, undefined)
  const failed = wrong.status?.conditions?.find(({ type }) => type === 'Failed')
  assert.deepEqual([failed?.reason, failed?.message], ['SignerValidationFailure', 'invalid usage for client certificate: server auth'])
})
