import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createAuthority } from './authority.ts'
import { readSigningRequest } from './signing-request.ts'

const nowMs = Date.parse('2026-11-23T00:00:00Z')

/** A request by OpenSSL. */
function request(key: string, subject: string, ...more: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'csr-'))
  try {
    const file = join(directory, 'csr')
    const kinds: Readonly<Record<string, readonly string[]>> = {
      ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      rsa: ['rsa:2048'],
      ed25519: ['ed25519'],
    }
    const options = ['-newkey', ...(kinds[key] ?? []), '-nodes', '-keyout', join(directory, 'key'), '-out', file]
    execFileSync('openssl', ['req', '-new', ...options, '-subj', subject, ...more], { stdio: 'ignore' })
    return readFileSync(file, 'utf8')
  } finally {
    rmSync(directory, { recursive: true })
  }
}

suite('readSigningRequest()', () => {
  for (const key of ['ec', 'rsa', 'ed25519']) {
    test(`reads a request by OpenSSL with a key of type ${key}`, () => {
      const names = 'subjectAltName=DNS:a.b,DNS:c,IP:10.0.0.1,IP:::1,email:x@y.z,URI:spiffe://a/b'
      const {
        commonName,
        organizations,
        names: found,
      } = readSigningRequest(request(key, '/O=one/O=two/CN=ü ser', '-utf8', '-addext', names))
      assert.deepEqual([commonName, organizations], ['ü ser', ['one', 'two']])
      assert.deepEqual(found, {
        dns: ['a.b', 'c'],
        emails: ['x@y.z'],
        uris: ['spiffe://a/b'],
        addresses: ['0a000001', '00000000000000000000000000000001'],
      })
    })
  }

  test('refuses requests that are malformed or signed by another key', () => {
    const pem = request('ec', '/CN=a')
    const der = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64')
    const wrapped = (bytes: Buffer): string =>
      `-----BEGIN CERTIFICATE REQUEST-----\n${bytes.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
    assert.doesNotThrow(() => readSigningRequest(wrapped(der)))
    assert.throws(() => readSigningRequest('nothing'), /PEM block type/)
    for (let length = 0; length < der.length; length += 1) {
      assert.throws(() => readSigningRequest(wrapped(der.subarray(0, length))), { name: 'CertificateUnusable' }, `${length} bytes`)
    }
    const other = Buffer.from(der)
    other[der.indexOf('a', 10)] = 'b'.charCodeAt(0)
    assert.throws(() => readSigningRequest(wrapped(other)), { name: 'CertificateUnusable' })
  })
})

test('certify() signs the key and the names of a request, and OpenSSL accepts the result', async () => {
  const authority = await createAuthority({ commonName: 'ca', nowMs, lifetimeMs: 10_000_000 })
  const asked = readSigningRequest(request('rsa', '/O=system:nodes/CN=system:node:a', '-addext', 'subjectAltName=DNS:a'))
  const usages = ['digital signature', 'server auth'] as const
  const pem = authority.certify({ ...asked, usages, notBefore: nowMs, notAfter: nowMs + 60_000_000 })
  const made = new X509Certificate(pem)
  assert.equal(made.subject, 'O=system:nodes\nCN=system:node:a')
  assert.equal(made.subjectAltName, 'DNS:a')
  assert.deepEqual(made.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  assert.equal(made.validToDate.getTime(), nowMs + 10_000_000, 'not longer than the authority')
  const own = new X509Certificate(authority.own.certificate)
  assert.ok(made.checkIssued(own) && made.verify(own.publicKey))
  const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: pem, encoding: 'utf8' })
  assert.match(text, /X509v3 Key Usage: critical\s+Digital Signature\n/)
})
