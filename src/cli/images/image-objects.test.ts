import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CommandError } from '../context.ts'
import {
  importedDataSource,
  importedDataVolume,
  parseHardware,
  whyAnotherDataSource,
  whyAnotherImport,
  type ImportWish,
} from './image-objects.ts'
import { dataSourceOf } from './image-world.fixture.ts'

const checksum = { algorithm: 'sha256', digits: 'a'.repeat(64) } as const
const wish: ImportWish = { namespace: 'ns', name: 'fedora', source: { kind: 'http', url: 'https://a/b' }, size: '5Gi' }

suite('objects of an import', () => {
  test('both have the labels of the hardware', () => {
    const asked = { ...wish, defaultInstancetype: 'vmf/own', defaultPreference: 'fedora' }
    const labels = {
      'instancetype.kubevirt.io/default-instancetype': 'own',
      'instancetype.kubevirt.io/default-instancetype-kind': 'VirtualMachineInstancetype',
      'instancetype.kubevirt.io/default-preference': 'fedora',
    }
    assert.deepEqual(importedDataVolume(asked).metadata.labels, labels)
    assert.deepEqual(importedDataSource(asked).metadata.labels, labels)
  })
  const sources: readonly (readonly [name: string, part: Partial<ImportWish>, source: unknown])[] = [
    [
      'http',
      { checksum, secret: 's', certConfigMap: 'c' },
      { http: { url: 'https://a/b', checksum: `sha256:${checksum.digits}`, secretRef: 's', certConfigMap: 'c' } },
    ],
    ['registry', { source: { kind: 'registry', url: 'docker://a' } }, { registry: { url: 'docker://a' } }],
    ['file', { source: { kind: 'file', path: 'a' }, checksum }, { upload: {} }],
  ]
  for (const [name, part, source] of sources)
    test(name, () => assert.deepEqual(importedDataVolume({ ...wish, ...part }).spec.source, source))
  test('the digest of a file is recorded, so that it is known after the upload', () => {
    const { annotations } = importedDataVolume({ ...wish, source: { kind: 'file', path: 'a' }, checksum }).metadata
    assert.equal(annotations?.['steadyvm.io/imported-digest'], `sha256:${checksum.digits}`)
  })
})

test('the same command finds its import, and another one does not', () => {
  const file = { ...wish, source: { kind: 'file', path: 'a' }, checksum } as const
  const other = { ...file, checksum: { ...checksum, digits: 'b'.repeat(64) } }
  assert.equal(whyAnotherImport(importedDataVolume(wish), importedDataVolume({ ...wish, size: '6Gi' })), undefined)
  assert.match(whyAnotherImport(importedDataVolume(wish), importedDataVolume(file)) ?? '', /source/)
  assert.match(whyAnotherImport(importedDataVolume(other), importedDataVolume(file)) ?? '', /file/)
})

test('a DataSource that leads elsewhere, or is kept by a DataImportCron, is not taken', () => {
  assert.equal(whyAnotherDataSource(dataSourceOf('fedora'), wish), undefined)
  assert.match(whyAnotherDataSource(dataSourceOf('fedora', 'other'), wish) ?? '', /ns\/other/)
  const kept = dataSourceOf('fedora', 'fedora', { 'cdi.kubevirt.io/dataImportCron': 'cron' })
  assert.match(whyAnotherDataSource(kept, wish) ?? '', /cron/)
})

test('parseHardware() refuses kinds of the other family', () => {
  assert.deepEqual(parseHardware('preference', 'vmcp/fedora'), { name: 'fedora', kind: 'VirtualMachineClusterPreference' })
  for (const text of ['', 'vmf/', 'vmp/x', 'x/y', 'a/b/c']) assert.throws(() => parseHardware('instancetype', text), CommandError)
})
