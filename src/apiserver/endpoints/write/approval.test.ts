import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { withApproval } from './approval.ts'

const request = (status: object, signerName: string = 'a'): CertificateSigningRequest =>
  ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r' },
    spec: { request: '', signerName },
    status,
  }) as CertificateSigningRequest

suite('withApproval()', () => {
  test('keeps new annotations', () => {
    const next = request({})
    const metadata = { ...next.metadata, annotations: { by: 'me' } }
    assert.deepEqual(withApproval(request({}), { ...next, metadata }, 1000).metadata, metadata)
  })

  test('changes only the conditions, and sets their times', () => {
    const next = request({ conditions: [{ type: 'Approved', status: 'True' }], certificate: 'x' }, 'b')
    const time = '1970-01-01T00:00:01Z'
    assert.deepEqual(
      withApproval(request({}), next, 1000),
      request({ conditions: [{ type: 'Approved', status: 'True', lastUpdateTime: time, lastTransitionTime: time }] }),
    )
  })

  test('keeps the time of an existing condition', () => {
    const lastTransitionTime = '2000-01-01T00:00:00Z'
    const old = request({ conditions: [{ type: 'Denied', status: 'True', lastTransitionTime }] })
    const { status } = withApproval(old, request({ conditions: [{ type: 'Denied', status: 'True' }] }), 1000) as CertificateSigningRequest
    assert.equal(status?.conditions?.[0]?.lastTransitionTime, lastTransitionTime)
  })
})
