import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import { validateDataVolumeSpec } from './validate-spec.ts'

const storage = { resources: { requests: { storage: '1Gi' } } }
const pvc = { ...storage, accessModes: ['ReadWriteOnce'] }
const http = { url: 'https://images/a.qcow2' }
const digest = 'a'.repeat(64)

suite('validateDataVolumeSpec() accepts', () => {
  const accepted: Readonly<Record<string, DataVolumeSpec>> = {
    'a file of a web server': { source: { http: { ...http, checksum: `sha256:${digest}`, extraHeaders: ['X-Token: a'] } }, storage },
    'a claim as it is': { source: { blank: {} }, pvc },
    'a copy without a size': { source: { pvc: { namespace: 'a', name: 'b' } }, storage: {} },
    'a DataSource without a size': { sourceRef: { kind: 'DataSource', name: 'fedora' }, storage: {} },
    'an image of a registry': { source: { registry: { url: 'docker://quay.io/a:b', pullMethod: 'node' } }, storage },
    'an archive': { source: { http }, contentType: 'archive', storage },
    'a claim that another controller fills': { pvc: { ...pvc, dataSourceRef: { apiGroup: 'example.com', kind: 'Sample', name: 'a' } } },
    'an object of S3': { source: { s3: { url: 's3://bucket/key', secretRef: 'keys' } }, storage },
    'an upload': { source: { upload: {} }, storage },
  }
  for (const [what, spec] of Object.entries(accepted)) test(what, () => assert.deepEqual(validateDataVolumeSpec(spec, 'spec'), []))
})

suite('validateDataVolumeSpec() refuses', () => {
  const refused: readonly (readonly [string, DataVolumeSpec, string])[] = [
    ['no storage', { source: { blank: {} } }, 'spec.storage'],
    ['two of them', { source: { blank: {} }, storage, pvc }, 'spec.storage'],
    ['no size', { source: { blank: {} }, storage: {} }, 'spec.storage.resources.requests.storage'],
    [
      'no size of a verbatim claim',
      { source: { pvc: { namespace: 'a', name: 'b' } }, pvc: { accessModes: ['ReadWriteOnce'] } },
      'spec.pvc.resources.requests.storage',
    ],
    [
      'a size below 1 MiB',
      { source: { blank: {} }, storage: { resources: { requests: { storage: '1000' } } } },
      'spec.storage.resources.requests.storage',
    ],
    ['no access mode', { source: { blank: {} }, pvc: storage }, 'spec.pvc.accessModes'],
    [
      'two access modes',
      { source: { blank: {} }, pvc: { ...storage, accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } },
      'spec.pvc.accessModes',
    ],
    ['an unknown access mode', { source: { blank: {} }, storage: { ...storage, accessModes: ['Both'] } }, 'spec.storage.accessModes'],
    ['no source', { storage }, 'spec.source'],
    ['two sources', { source: { blank: {}, http }, storage }, 'spec.source'],
    ['source and sourceRef', { source: { blank: {} }, sourceRef: { kind: 'DataSource', name: 'a' }, storage }, 'spec.source'],
    ['sourceRef of another kind', { sourceRef: { kind: 'Image', name: 'a' }, storage }, 'spec.sourceRef.kind'],
    ['a blank archive', { source: { blank: {} }, contentType: 'archive', storage }, 'spec.contentType'],
    ['another scheme', { source: { http: { url: 'ftp://images/a' } }, storage }, 'spec.source.http.url'],
    ['no URL', { source: { http: { url: '' } }, storage }, 'spec.source.http.url'],
    ['a short digest', { source: { http: { ...http, checksum: 'sha256:aa' } }, storage }, 'spec.source.http.checksum'],
    ['an unknown digest', { source: { http: { ...http, checksum: `crc:${digest}` } }, storage }, 'spec.source.http.checksum'],
    ['a header without a name', { source: { http: { ...http, extraHeaders: ['secret'] } }, storage }, 'spec.source.http.extraHeaders[0]'],
    ['an ImageStream', { source: { registry: { imageStream: 'a', pullMethod: 'node' } }, storage }, 'spec.source.registry.imageStream'],
    ['an image without a scheme', { source: { registry: { url: 'quay.io/a' } }, storage }, 'spec.source.registry.url'],
    ['a source that workers cannot read', { source: { vddk: { uuid: 'a' } }, storage }, 'spec.source.vddk'],
    ['a snapshot without a name', { source: { snapshot: { namespace: 'a', name: '' } }, storage }, 'spec.source.snapshot'],
    [
      'two sources of content',
      { source: { blank: {} }, pvc: { ...pvc, dataSource: { kind: 'PersistentVolumeClaim', name: 'a' } } },
      'spec.source',
    ],
  ]
  for (const [what, spec, field] of refused)
    test(what, () =>
      assert.deepEqual(
        validateDataVolumeSpec(spec, 'spec').map((cause) => cause.field),
        [field],
      ),
    )
})
