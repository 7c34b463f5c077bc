import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineExport, VirtualMachineExportLink } from '#api/export/v1/virtual-machine-export.ts'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { diskLinks } from './disk-links.ts'

function exportWith(links: Readonly<Record<string, VirtualMachineExportLink>>): VirtualMachineExport {
  const source = { kind: 'PersistentVolumeClaim', name: 'root' }
  return { apiVersion: 'export.kubevirt.io/v1', kind: 'VirtualMachineExport', metadata: {}, spec: { source }, status: { links } }
}

const linkOf = (host: string, formats: readonly string[]): VirtualMachineExportLink => ({
  cert: `authority of ${host}`,
  volumes: [{ name: 'root', formats: formats.map((format) => ({ format, url: `https://${host}/${format}` })) }],
})

suite('diskLinks', () => {
  test('leads into the cluster first, then from outside', () => {
    const links = diskLinks(
      exportWith({ external: linkOf('outside', ['raw', 'gzip']), internal: linkOf('inside', ['raw', 'gzip']) }),
      'root',
    )
    assert.deepEqual(
      links.map(({ side, url, certificates }) => [side, url.href, certificates]),
      [
        ['internal', 'https://inside/gzip', 'authority of inside'],
        ['external', 'https://outside/gzip', 'authority of outside'],
      ],
    )
  })

  const refused = [
    { why: 'another volume', links: { internal: linkOf('inside', ['gzip']) }, volume: 'data', message: /one of root/ },
    { why: 'files', links: { internal: linkOf('inside', ['dir', 'tar.gz']) }, volume: 'root', message: /storage\.contentType=kubevirt/ },
    { why: 'no links', links: {}, volume: 'root', message: /which has none/ },
  ] as const
  for (const { why, links, volume, message } of refused)
    test(`refuses ${why}`, () =>
      assert.throws(
        () => diskLinks(exportWith(links), volume),
        (error: unknown) => {
          assert.ok(error instanceof TaskFailed)
          assert.equal(error.exitCode, exitCodes.preconditionFailed)
          assert.match(error.message, message)
          return true
        },
      ))
})
