import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { connect } from 'node:tls'
import { certificatesOf, signerOf } from '#runtime/certificates/bundle.ts'
import type { Renewal } from '#runtime/certificates/rotation.ts'
import { ensurePki, pkiPaths, type Pki } from './pki.ts'
import { rotatePki } from './rotate.ts'

const day = 86_400_000

suite('rotatePki()', () => {
  const directory = join(mkdtempSync(join(tmpdir(), 'rotation-')), 'pki')
  after(() => rmSync(join(directory, '..'), { recursive: true }))
  const start = Math.floor(Date.now() / 1000) * 1000 - 10 * day
  const pki = pkiPaths(directory)
  const text = (path: string): Promise<string> => readFile(path, 'utf8')
  const rotate = (now: number, replaceBefore: number = 0, onChange: (changed: Pki) => Promise<void> = async () => {}): Promise<number> =>
    rotatePki({ directory, nodes: ['n1'], replaceBefore, now: () => now, onChange })
  const first = ensurePki(directory, ['n1'], start).then(async () => ({
    ca: await text(pki.ca.certificate),
    admin: await text(pki.admin.certificate),
  }))

  test('keeps certificates that are valid for long', async () => {
    const { ca, admin } = await first
    await rotate(start + day, 0, () => assert.fail('nothing changes'))
    assert.deepEqual([await text(pki.ca.certificate), await text(pki.admin.certificate)], [ca, admin])
  })

  test('returns the expiry of each file', async () => {
    await first
    const told: Renewal[] = []
    await rotatePki({
      directory,
      nodes: ['n1'],
      replaceBefore: 0,
      now: () => start,
      onChange: async () => {},
      onRest: (all) => told.push(...all),
    })
    const days = Object.fromEntries(
      told.map(({ name, dueAt, notAfter }) => [name, [dueAt, notAfter].map((at) => Math.round((at - start) / day))]),
    )
    assert.deepEqual(days['ca.crt'], [3285, 3650])
    assert.deepEqual(days['apiserver.pem'], [305, 365])
    assert.deepEqual(days['migration-n1/server-cert.pem'], [305, 365])
    assert.equal(Object.keys(days).length, told.length, 'each has a name of its own')
  })

  test('never presents an untrusted certificate while all CAs are replaced', async () => {
    const { ca } = await first
    // TLS looks at the real clock, and files are as old as they are: other tests may have taken
    // minutes.
    const today = Math.floor(Date.now() / 1000) * 1000
    let moments = 0
    const fits = async (): Promise<void> => {
      moments += 1
      const pairs = [
        [pki.ca, pki.apiserver],
        [pki.ca, pki.admin],
        [pki.requestHeaderCa, pki.proxyClient],
        [pki.migrationCa, pki.migration('n1').server],
        [pki.migrationCa, pki.migration('n1').client],
      ] as const
      for (const [authority, leaf] of pairs) {
        const shown = new X509Certificate(await text(leaf.certificate))
        assert.ok(signerOf(shown.toString(), certificatesOf(await text(authority.certificate))) !== undefined, leaf.certificate)
      }
      assert.equal(await text(pki.migration('n1').authority), await text(pki.migrationCa.certificate))
      assert.equal(await trusts(ca), true, 'who has only the first authority goes on')
    }
    // Who checks certificates is given a while to hear of the new authority.
    for (let seconds = 0; seconds <= 10; seconds += 5) await rotate(today + seconds * 1000 + 700, today + 600, fits)
    assert.ok(moments >= 6, `${moments} moments`)
    const bundle = certificatesOf(await text(pki.ca.certificate))
    assert.equal(bundle.length, 2)
    assert.equal(signerOf(new X509Certificate(await text(pki.apiserver.certificate)).toString(), bundle)?.pem, bundle[0]?.pem)
    await rotate(today + 3_600_000, today + 600, () => assert.fail('it is done'))
  })

  test('drops the old CA after the overlap', async () => {
    const { ca } = await first
    for (let month = 1; month <= 14; month += 1) await rotate(Date.now() + month * 30 * day)
    assert.ok(!(await text(pki.ca.certificate)).includes(ca))
    assert.equal(certificatesOf(await text(pki.ca.certificate)).length, 1)
  })

  /** Reports whether a client that trusts only this CA accepts the API server's certificate. */
  async function trusts(ca: string): Promise<boolean> {
    const own = await text(pki.apiserver.certificate)
    const server = createServer({ cert: own, key: own })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const found = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, ca })
      socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('secureConnect', () => socket.destroy())
    })
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    return found
  }
})
