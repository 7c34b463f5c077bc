import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { ensurePki } from './pki.ts'

suite('ensurePki()', () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'pki-')), 'pki')
  after(() => rmSync(join(directory, '..'), { recursive: true }))
  const nowMs = Date.parse('2026-01-01T00:00:00Z')
  const load = async (path: string): Promise<X509Certificate> => new X509Certificate(await readFile(path))

  test('signs proxy certificates with a separate CA that does not authenticate clients', async () => {
    const pki = await ensurePki(directory, ['node1'], nowMs)
    const [ca, requestHeaderCa, proxyClient, admin] = await Promise.all(
      [pki.ca, pki.requestHeaderCa, pki.proxyClient, pki.admin].map(({ certificate }) => load(certificate)),
    )
    assert.ok(ca !== undefined && requestHeaderCa !== undefined && proxyClient !== undefined && admin !== undefined)
    assert.equal(proxyClient.subject, 'CN=front-proxy-client')
    assert.ok(proxyClient.verify(requestHeaderCa.publicKey))
    assert.ok(!proxyClient.verify(ca.publicKey))
    assert.ok(admin.verify(ca.publicKey))
    for (const { key } of [pki.requestHeaderCa, pki.proxyClient, pki.ca]) assert.equal(statSync(key).mode & 0o777, 0o600)
  })

  test('signs migration certificates of nodes with a separate CA', async () => {
    const pki = await ensurePki(directory, ['node1', 'node2'], nowMs)
    const { authority, server } = pki.migration('node1')
    const { client } = pki.migration('node2')
    const [own, ca] = await Promise.all([load(authority), load(pki.ca.certificate)])
    for (const { certificate } of [server, client]) {
      assert.ok((await load(certificate)).verify(own.publicKey))
      assert.ok(!(await load(certificate)).verify(ca.publicKey))
    }
  })

  test('creates missing and expired certificates, and keeps the others', async () => {
    const pki = await ensurePki(directory, ['node1'], nowMs)
    const text = (path: string): Promise<string> => readFile(path, 'utf8')
    const [ca, admin, requestHeaderCa] = await Promise.all(
      [pki.ca, pki.admin, pki.requestHeaderCa].map(({ certificate }) => text(certificate)),
    )
    await rm(pki.proxyClient.certificate)
    await ensurePki(directory, ['node1'], nowMs)
    assert.ok((await load(pki.proxyClient.certificate)).verify((await load(pki.requestHeaderCa.certificate)).publicKey))
    assert.deepEqual([await text(pki.ca.certificate), await text(pki.admin.certificate)], [ca, admin])
    await ensurePki(directory, ['node1'], nowMs + 366 * 86_400_000)
    assert.notEqual(await text(pki.admin.certificate), admin)
    assert.equal(await text(pki.requestHeaderCa.certificate), requestHeaderCa)
  })
})
