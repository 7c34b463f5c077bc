import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CertificateSigningRequest } from '#api/certificates/v1/certificate-signing-request.ts'
import type { SigningRequest } from '#runtime/certificates/signing-request.ts'
import { decideSigning, signers, type SigningStep } from './decide.ts'

const approved = { type: 'Approved', status: 'True' }
const nodeContent: SigningRequest = {
  commonName: 'system:node:a',
  organizations: ['system:nodes'],
  names: { dns: [], emails: [], uris: [], addresses: [] },
  subject: Buffer.alloc(0),
  key: Buffer.alloc(0),
  alternativeNames: undefined,
}
const named = (names: Partial<SigningRequest['names']>): SigningRequest => ({ ...nodeContent, names: { ...nodeContent.names, ...names } })

function request(
  signerName: string,
  usages: string[],
  spec: Partial<CertificateSigningRequest['spec']> = {},
  status: CertificateSigningRequest['status'] = { conditions: [approved] },
): CertificateSigningRequest {
  return { metadata: { name: 'r' }, spec: { request: '', signerName, usages, ...spec }, status }
}

const serving = ['digital signature', 'server auth']
const client = ['digital signature', 'client auth']

suite('decideSigning()', () => {
  const cases: readonly [
    name: string,
    request: CertificateSigningRequest,
    content: SigningRequest | Error,
    want: SigningStep['kind'] | RegExp,
  ][] = [
    ['a client', request(signers.client, ['client auth']), nodeContent, 'sign'],
    ['a client that encrypts keys', request(signers.client, [...client, 'key encipherment']), nodeContent, 'sign'],
    [
      'a client that serves',
      request(signers.client, ['client auth', 'server auth']),
      nodeContent,
      /^invalid usage for client certificate: server auth$/,
    ],
    [
      'a client that is none',
      request(signers.client, ['digital signature']),
      nodeContent,
      /^missing required usage for client certificate: client auth$/,
    ],
    [
      'an administrator',
      request(signers.client, client),
      { ...nodeContent, organizations: ['system:masters'] },
      /system:masters group is not allowed$/,
    ],
    ['a request that cannot be read', request(signers.client, client), new Error('malformed'), /^malformed$/],
    ['a pending one', request(signers.client, client, {}, {}), nodeContent, 'none'],
    ['a denied one', request(signers.client, client, {}, { conditions: [{ type: 'Denied', status: 'True' }] }), nodeContent, 'none'],
    [
      'a failed one',
      request(signers.client, client, {}, { conditions: [approved, { type: 'Failed', status: 'True' }] }),
      nodeContent,
      'none',
    ],
    ['an issued one', request(signers.client, client, {}, { conditions: [approved], certificate: 'x' }), nodeContent, 'none'],
    ['one for another signer', request('example.com/signer', client), nodeContent, 'none'],
    ['a kubelet as client', request(signers.kubeletClient, client), nodeContent, 'sign'],
    [
      'a kubelet as client with a name',
      request(signers.kubeletClient, client),
      named({ dns: ['a'] }),
      /^DNS subjectAltNames are not allowed$/,
    ],
    ['a kubelet as client with an address', request(signers.kubeletClient, client), named({ addresses: ['00'] }), /^IP subjectAltNames/],
    [
      'a kubelet as client with a wrong usage',
      request(signers.kubeletClient, serving),
      nodeContent,
      /^usages did not match \[client auth digital signature key encipherment\]$/,
    ],
    ['a serving kubelet', request(signers.kubeletServing, serving), named({ addresses: ['00'] }), 'sign'],
    ['a serving kubelet with an RSA key', request(signers.kubeletServing, [...serving, 'key encipherment']), named({ dns: ['a'] }), 'sign'],
    ['a serving kubelet without a name', request(signers.kubeletServing, serving), nodeContent, /^DNS or IP subjectAltName is required$/],
    [
      'a serving kubelet with an e-mail address',
      request(signers.kubeletServing, serving),
      named({ dns: ['a'], emails: ['b'] }),
      /^Email subjectAltNames/,
    ],
    ['a serving kubelet with a URI', request(signers.kubeletServing, serving), named({ dns: ['a'], uris: ['b'] }), /^URI subjectAltNames/],
    [
      'a serving kubelet of another group',
      request(signers.kubeletServing, serving),
      { ...named({ dns: ['a'] }), organizations: ['a'] },
      /^subject organization/,
    ],
    [
      'a serving kubelet of another user',
      request(signers.kubeletServing, serving),
      { ...named({ dns: ['a'] }), commonName: 'a' },
      /^subject common name/,
    ],
  ]
  for (const [name, asked, content, want] of cases) {
    test(name, () => {
      const step = decideSigning(asked, content)
      if (typeof want === 'string') assert.equal(step.kind, want)
      else assert.match(step.kind === 'fail' ? step.message : '', want)
    })
  }

  for (const [expirationSeconds, lifetimeSeconds] of [
    [undefined, 31_536_000],
    [3600, 3600],
    [1, 600],
    [2 ** 31 - 1, 31_536_000],
  ] as const) {
    test(`a lifetime of ${expirationSeconds} s`, () => {
      const step = decideSigning(request(signers.client, client, expirationSeconds === undefined ? {} : { expirationSeconds }), nodeContent)
      assert.equal(step.kind === 'sign' ? step.lifetimeSeconds : undefined, lifetimeSeconds)
    })
  }
})
