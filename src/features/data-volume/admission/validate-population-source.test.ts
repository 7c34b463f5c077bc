import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PopulationSource } from '../populator/population.ts'
import { validatePopulationSource } from './validate-population-source.ts'

const http = { url: 'http://images/a' }

suite('validatePopulationSource()', () => {
  const rows: readonly (readonly [what: string, kind: string, spec: object, old: object | undefined, field: string | undefined])[] = [
    ['a file of a web server', 'VolumeImportSource', { source: { http } }, undefined, undefined],
    ['no source', 'VolumeImportSource', {}, undefined, 'spec.source'],
    ['two sources', 'VolumeImportSource', { source: { http, blank: {} } }, undefined, 'spec.source'],
    ['a source that workers cannot read', 'VolumeImportSource', { source: { vddk: { uuid: 'a' } } }, undefined, 'spec.source.vddk'],
    ['another scheme', 'VolumeImportSource', { source: { http: { url: 'ftp://a/b' } } }, undefined, 'spec.source.http.url'],
    ['a blank archive', 'VolumeImportSource', { source: { blank: {} }, contentType: 'archive' }, undefined, 'spec.contentType'],
    ['a changed source', 'VolumeImportSource', { source: { blank: {} } }, { source: { http } }, 'spec'],
    ['the same source', 'VolumeImportSource', { source: { http } }, { source: { http } }, undefined],
    ['an upload', 'VolumeUploadSource', {}, undefined, undefined],
    ['an upload of unknown content', 'VolumeUploadSource', { contentType: 'iso' }, undefined, 'spec.contentType'],
    ['changed content', 'VolumeUploadSource', { contentType: 'archive' }, {}, 'spec'],
    ['a claim', 'VolumeCloneSource', { source: { kind: 'PersistentVolumeClaim', name: 'a' } }, undefined, undefined],
    ['another claim', 'VolumeCloneSource', { source: { kind: 'PersistentVolumeClaim', name: 'a' } }, { source: {} }, undefined],
    [
      'a snapshot',
      'VolumeCloneSource',
      { source: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'a' } },
      undefined,
      undefined,
    ],
    ['a pod', 'VolumeCloneSource', { source: { kind: 'Pod', name: 'a' } }, undefined, 'spec.source.kind'],
    [
      'a claim of a group',
      'VolumeCloneSource',
      { source: { apiGroup: 'a', kind: 'PersistentVolumeClaim', name: 'a' } },
      undefined,
      'spec.source.apiGroup',
    ],
    ['no name', 'VolumeCloneSource', { source: { kind: 'VolumeSnapshot', name: '' } }, undefined, 'spec.source.name'],
  ]
  const object = (spec: object): PopulationSource => ({ metadata: { name: 'a' }, spec }) as PopulationSource
  for (const [what, kind, spec, old, field] of rows)
    test(`${field === undefined ? 'accepts' : 'refuses'} ${what}`, () => {
      const { causes } = validatePopulationSource(kind, object(spec), old === undefined ? undefined : object(old))
      assert.deepEqual(
        causes.map((each) => each.field),
        field === undefined ? [] : [field],
      )
    })
})
