import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { suite, test } from 'node:test'
import { renewAuthority, readAuthority } from './certificates.ts'

suite('nextAuthority()', () => {
  test('has a name that its certificates contain as issuer, also after it was loaded again', async () => {
    const nowMs = Date.UTC(2026, 0, 1)
    const made = await renewAuthority('steadyvm-ca', nowMs)
    const authority = new X509Certificate(made.own.certificate)
    assert.deepEqual([authority.subject, authority.issuer], ['CN=steadyvm-ca', 'CN=steadyvm-ca'])
    const loaded = readAuthority(made.text)
    for (const by of [made, loaded]) {
      const leaf = new X509Certificate((await by.issue('CN=kube-apiserver', 'server', nowMs)).certificate)
      assert.equal(leaf.issuer, 'CN=steadyvm-ca')
      assert.ok(leaf.checkIssued(authority) && leaf.verify(authority.publicKey))
    }
  })
})
