import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { certificateSigningRequests } from '#api/certificates/v1/resources.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import { createCertificateSigners } from './certificate-signers.ts'

const definition = defineResource(certificateSigningRequests)

function check(
  rights: readonly string[],
  subresource: string,
  status: NonNullable<CertificateSigningRequest['status']>,
  before = {},
): void {
  const plugin = createCertificateSigners((_user, attributes) => ({
    allowed:
      attributes.kind === 'resource' && attributes.resource === 'signers' && rights.includes(`${attributes.verb} ${attributes.name}`),
    reason: '',
  }))
  const object = (given: NonNullable<CertificateSigningRequest['status']>): CertificateSigningRequest => ({
    metadata: { name: 'r' },
    spec: { request: '', signerName: 'example.com/a' },
    status: given,
  })
  const context = { user: { username: 'ann', groups: [] }, warn: () => {}, signal: new AbortController().signal, fieldManager: '' }
  const target = { definition, namespace: '', name: 'r', subresource }
  void plugin.validate?.({ operation: 'UPDATE', target, object: object(status), old: object(before), dryRun: false, context })
}

suite('createCertificateSigners()', () => {
  const approved = { conditions: [{ type: 'Approved', status: 'True' }] }
  const issued = { certificate: 'x' }
  const refused = { reason: 'Forbidden' }

  test('requires the right to approve for a decision', () => {
    check(['approve example.com/a'], 'approval', approved)
    check(['approve example.com/*'], 'approval', approved)
    const message = /is forbidden: user not permitted to approve requests with signerName "example\.com\/a"$/
    for (const rights of [[], ['sign example.com/a'], ['approve example.com/b'], ['approve example.org/*']])
      assert.throws(() => check(rights, 'approval', approved), { ...refused, message })
  })

  test('requires the right to sign for a certificate', () => {
    check(['sign example.com/a'], 'status', issued)
    check([], 'status', issued, issued)
    assert.throws(() => check(['approve example.com/a'], 'status', issued), refused)
  })

  test('takes decisions through the approval only', () => {
    assert.throws(() => check(['sign example.com/a'], 'status', approved), { reason: 'Invalid' })
    check(['sign example.com/a'], 'status', { ...approved, ...issued }, approved)
  })

  test('leaves other changes alone', () => check([], '', issued))
})
