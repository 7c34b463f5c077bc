import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import { certificateRequestStrategy } from './certificate-request-strategy.ts'

const pem = Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\n').toString('base64')

function request(spec: Partial<CertificateSigningRequest['spec']>, status: CertificateSigningRequest['status'] = {}) {
  return { metadata: { name: 'a' }, spec: { request: pem, signerName: 'example.com/a', usages: ['client auth'], ...spec }, status }
}

function faults(next: CertificateSigningRequest, old?: CertificateSigningRequest): string[] {
  return (certificateRequestStrategy.validate?.(next, old) ?? []).map(({ field, message }) => `${field}: ${message}`)
}

suite('certificateRequestStrategy', () => {
  const specs: readonly [name: string, spec: Partial<CertificateSigningRequest['spec']>, want: RegExp | undefined][] = [
    ['a plain request', {}, undefined],
    [
      'a request without PEM',
      { request: 'eA==' },
      /^spec\.request: Invalid value: \[\]byte\{0x78\}: PEM block type must be CERTIFICATE REQUEST$/,
    ],
    ['no usage', { usages: [] }, /^spec\.usages: Required value$/],
    ['an unknown usage', { usages: ['fun'] }, /^spec\.usages\[0\]: Unsupported value: "fun"/],
    ['a usage twice', { usages: ['signing', 'signing'] }, /^spec\.usages\[1\]: Duplicate value: "signing"$/],
    ['a signer without a path', { signerName: 'example.com' }, /^spec\.signerName: .*must be a fully qualified domain and path/],
    [
      'a signer without a domain',
      { signerName: 'example/a' },
      /^spec\.signerName: Invalid value: "example": should be a domain with at least two segments/,
    ],
    ['the signer of old', { signerName: 'kubernetes.io/legacy-unknown' }, /not allowed via this API version$/],
    ['a short lifetime', { expirationSeconds: 599 }, /may not specify a duration less than 600 seconds \(10 minutes\)$/],
    ['the shortest lifetime', { expirationSeconds: 600 }, undefined],
  ]
  for (const [name, spec, want] of specs) {
    test(`checks ${name}`, () => {
      const found = faults(request(spec))
      assert.equal(found.length, want === undefined ? 0 : 1, found.join())
      if (want !== undefined) assert.match(found[0] ?? '', want)
    })
  }

  test('keeps what has been decided and issued', () => {
    const approved = { type: 'Approved', status: 'True' }
    const issued = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64')
    const other = Buffer.from('-----BEGIN CERTIFICATE-----\n').toString('base64')
    assert.match(faults(request({}, { certificate: 'eA==' }), request({})).join(), /must contain at least one CERTIFICATE PEM block$/)
    const old = request({}, { conditions: [approved], certificate: issued })
    assert.deepEqual(faults(old, old), [])
    assert.match(faults(request({}, { certificate: issued }), old).join(), /may not remove a condition of type "Approved"/)
    assert.match(faults(request({}, { conditions: [approved], certificate: other }), old).join(), /may not change existing certificate/)
    const both = request({}, { conditions: [approved, { type: 'Denied', status: 'True' }], certificate: issued })
    assert.match(faults(both, old).join(), /mutually exclusive/)
    const doubtful = request({}, { conditions: [{ type: 'Approved', status: 'False' }], certificate: issued })
    assert.match(faults(doubtful, old).join(), /^status\.conditions\[0\]\.status: Unsupported value: "False"/)
  })
})
