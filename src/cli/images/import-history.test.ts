import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importsOf } from './import-history.ts'
import { claimOf, cronOf, dataSourceOf, dataVolumeOf } from './image-world.fixture.ts'

const labels = { 'cdi.kubevirt.io/dataImportCron': 'cron' }
const digest = (letter: string): string => `sha256:${letter.repeat(64)}`

test('importsOf() lists newest first: what is selected, pinned and newest, also claims without a DataVolume', () => {
  const made = (name: string, day: number, letter: string): ReturnType<typeof dataVolumeOf> =>
    dataVolumeOf(name, {
      labels,
      creationTimestamp: `2026-01-0${day}T00:00:00Z`,
      annotations: { 'steadyvm.io/imported-digest': digest(letter) },
    })
  const imports = importsOf({
    cron: cronOf('cron', {
      'steadyvm.io/pin-import': digest('a'),
      'cdi.kubevirt.io/storage.import.sourceDesiredDigest': digest('b'),
    }),
    dataSource: dataSourceOf('fedora', 'first'),
    dataVolumes: [made('first', 1, 'a'), made('second', 2, 'b'), dataVolumeOf('foreign')],
    claims: [
      claimOf('second', { labels, annotations: { 'steadyvm.io/boot-result': 'failed' } }),
      claimOf('old', { labels, annotations: { 'cdi.kubevirt.io/storage.pod.phase': 'Succeeded' } }),
    ],
  })
  assert.deepEqual(
    imports.map(({ name, phase, isSelected, isPinned, isNewest, boot }) => [name, phase, isSelected, isPinned, isNewest, boot]),
    [
      ['second', 'Succeeded', false, false, true, 'failed'],
      ['first', 'Succeeded', true, true, false, ''],
      ['old', 'Succeeded', false, false, false, ''],
    ],
  )
})
