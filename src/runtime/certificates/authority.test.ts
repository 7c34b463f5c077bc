import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { suite, test } from 'node:test'
import { CertificateUnusable, createAuthority, loadAuthority, type Authority, type Issued } from './authority.ts'

const nowMs = Math.floor(Date.now() / 1000) * 1000
const day = 86_400_000
const names = [
  { type: 'dns', value: 'virt-api.kubevirt.svc' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
] as const
const make = (commonName: string, lifetimeMs: number = 10 * day): Promise<Authority> => createAuthority({ commonName, nowMs, lifetimeMs })

suite('an authority', () => {
  test('signs certificates with its name as issuer, also after it was loaded again', async () => {
    const made = await make('steadyvm-ca')
    const own = new X509Certificate(made.own.certificate)
    assert.deepEqual([own.subject, own.issuer, own.ca], ['CN=steadyvm-ca', 'CN=steadyvm-ca', true])
    for (const by of [made, loadAuthority(made.own.certificate, made.own.key)]) {
      const issued = await by.issue({ subject: 'O=a,O=b,CN=c', usage: 'both', names, nowMs, lifetimeMs: day })
      const leaf = new X509Certificate(issued.certificate)
      assert.ok(leaf.checkIssued(own) && leaf.verify(own.publicKey))
      assert.deepEqual([leaf.subject, leaf.ca, leaf.keyUsage?.length], ['O=a\nO=b\nCN=c', false, 2])
      assert.equal(leaf.subjectAltName, 'DNS:virt-api.kubevirt.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1')
      assert.equal(Math.round((leaf.validToDate.getTime() - nowMs) / 1000), day / 1000)
    }
  })

  test('expires after all certificates that it has signed', async () => {
    const authority = await make('short', day)
    const { certificate } = await authority.issue({ subject: 'CN=x', usage: 'client', nowMs, lifetimeMs: 100 * day })
    assert.equal(new X509Certificate(certificate).validTo, new X509Certificate(authority.own.certificate).validTo)
  })

  test('writes dates after 2049, too', async () => {
    assert.equal(new X509Certificate((await make('long', 100 * 365 * day)).own.certificate).validToDate.getTime(), nowMs + 100 * 365 * day)
  })

  test('cannot be loaded with the key of another CA', async () => {
    const [a, b] = await Promise.all([make('a'), make('b')])
    assert.throws(() => loadAuthority(a.own.certificate, b.own.key), CertificateUnusable)
  })

  test('issues certificates that OpenSSL accepts in strict mode', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'authority-'))
    const authority = await make('steadyvm-ca')
    const leaf = await authority.issue({ subject: 'CN=x', usage: 'server', names, nowMs, lifetimeMs: day })
    writeFileSync(join(directory, 'ca'), authority.own.certificate)
    writeFileSync(join(directory, 'leaf'), leaf.certificate)
    const words = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', join(directory, 'ca'), join(directory, 'leaf')]
    assert.match(execFileSync('openssl', words, { encoding: 'utf8' }), /OK/)
    rmSync(directory, { recursive: true })
  })

  test('cross-signs the next authority: a client that trusts only the old or only the new one accepts the server', async () => {
    const [old, next, stranger] = await Promise.all([make('ca'), make('ca'), make('ca')])
    const leaf = await next.issue({ subject: 'CN=x', usage: 'server', names, nowMs, lifetimeMs: day })
    const chain = { key: leaf.key, certificate: leaf.certificate + old.vouchFor(next.own.certificate, nowMs) }
    assert.deepEqual(await Promise.all([old, next, stranger].map((each) => trusts(chain, each))), [true, true, false])
    assert.deepEqual(await Promise.all([old, next].map((each) => trusts(leaf, each))), [false, true])
  })
})

/**
 * Reports whether a client that trusts only this authority connects to a server with this
 * certificate.
 */
async function trusts({ certificate, key }: Issued, { own }: Authority): Promise<boolean> {
  const server = createServer({ cert: certificate, key })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const found = await new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ca: own.certificate, servername: 'virt-api.kubevirt.svc' })
    socket.once('secureConnect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('secureConnect', () => socket.destroy())
  })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return found
}
