import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { allocateMigrationPorts } from './listen-address.ts'

suite('allocateMigrationPorts()', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'place-'))
    const terms = { nowMs: Date.now(), lifetimeMs: 60_000 }
    const authority = await createAuthority({ commonName: 'migration-ca', ...terms })
    const names = [{ type: 'dns', value: 'node2' }] as const
    const { certificate } = await authority.issue({ subject: 'CN=x', usage: 'server', names, ...terms })
    await writeFile(join(directory, 'server-cert.pem'), certificate)
  })
  after(() => rm(directory, { recursive: true, force: true }))

  // Both 0.0.0.0 and 127.0.0.1 are available everywhere; only the second one means that all nodes
  // share one machine.
  const choose = (host: string, nodeName: string, configuration: Record<string, unknown> = {}) => {
    const asked: (string | undefined)[] = []
    const migrationAddress = (network: string | undefined): string => (asked.push(network), host)
    const place = allocateMigrationPorts(
      { migrationAddress, migrationCertificates: { directory }, nodeName },
      { migrationConfiguration: configuration },
    )
    return { asked, place }
  }

  test('allocates two ports of the address and returns it', async () => {
    const { place, asked } = choose('0.0.0.0', 'node2', { network: 'fast' })
    const { host, memory, storage } = await place
    assert.equal(host, '0.0.0.0')
    assert.ok(memory > 0 && storage > 0 && memory !== storage)
    assert.deepEqual(asked, ['fast'])
  })

  test('requires a certificate with the name that the source verifies', async () => {
    await assert.rejects(choose('0.0.0.0', 'node1').place, /server-cert\.pem .* is not one for node1/)
    await assert.rejects(choose('127.0.0.1', 'node2').place, /is not one for localhost/)
  })

  test('accepts any certificate without TLS', async () => {
    const { place, asked } = choose('127.0.0.1', 'node2', { disableTLS: true })
    assert.equal((await place).host, '127.0.0.1')
    assert.deepEqual(asked, [undefined])
  })

  test('reports an address of another machine', async () => {
    await assert.rejects(choose('192.0.2.1', 'node2').place, /guests cannot be received at 192\.0\.2\.1: .*EADDRNOTAVAIL/)
  })
})
