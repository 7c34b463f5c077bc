import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { validateDataImportCron } from './admission.ts'

type Change = Readonly<Record<string, unknown>>

function cron({
  template = {},
  metadata = {},
  ...spec
}: { readonly template?: Change; readonly metadata?: Change } & Change = {}): DataImportCron {
  return {
    metadata: { name: 'fedora-cron', namespace: 'images', ...metadata },
    spec: {
      schedule: '30 1 * * 1',
      managedDataSource: 'fedora',
      template: {
        spec: {
          source: { registry: { url: 'docker://quay.io/containerdisks/fedora:latest' } },
          storage: { resources: { requests: { storage: '5Gi' } } },
          ...template,
        },
      },
      ...spec,
    },
  } as DataImportCron
}

const long = 'x'.repeat(64)
const misplaced = { managedDataSource: 'fedora' }

const cases: readonly [what: string, cron: DataImportCron, field: string | undefined, message?: RegExp][] = [
  ['an image of a registry', cron(), undefined],
  ['a schedule with a zone', cron({ schedule: 'CRON_TZ=Europe/Berlin 0 3 * * *' }), undefined],
  ['no schedule', cron({ schedule: '' }), undefined],
  ['a file of a server', cron({ template: { source: { http: { url: 'https://example.org/a.qcow2' } } } }), undefined],
  ['another volume', cron({ template: { source: { pvc: { namespace: 'a', name: 'b' } }, storage: {} } }), undefined],
  [
    'an image by its digest',
    cron({ template: { source: { registry: { url: `docker://quay.io/a@sha256:${'0'.repeat(64)}` } } } }),
    undefined,
  ],
  ['a long name', cron({ metadata: { name: long } }), 'metadata.name'],
  ['a long name of a DataSource', cron({ managedDataSource: long }), 'spec.managedDataSource'],
  ['no DataSource', cron({ managedDataSource: undefined }), 'spec.managedDataSource', /^Illegal ManagedDataSource value$/],
  [
    'a DataSource in the wrong place',
    cron({ managedDataSource: undefined, template: misplaced }),
    'spec.managedDataSource',
    /move spec\.template\.spec\.managedDataSource to spec\.managedDataSource/,
  ],
  ['no source', cron({ template: { source: undefined } }), 'spec.template'],
  ['a source of nothing', cron({ template: { source: { blank: {} } } }), 'spec.template'],
  [
    'an archive of the pod',
    cron({ template: { source: { registry: { url: 'oci-archive:///a.tar' } } } }),
    'spec.template.spec.source.registry.url',
  ],
  ['an ImageStream', cron({ template: { source: { registry: { imageStream: 'a' } } } }), 'spec.template.spec.source.registry.imageStream'],
  ['a content type', cron({ template: { contentType: 'archive' } }), 'spec.template', /Unsettable fields/],
  ['no storage', cron({ template: { storage: undefined } }), 'spec.template.spec'],
  ['no size', cron({ template: { storage: {} } }), 'spec.template.spec.storage.resources.requests.storage'],
  ['no schedule that can be read', cron({ schedule: '61 * * * *' }), 'spec.schedule'],
  ['an unknown zone', cron({ schedule: 'TZ=Nowhere/Town 0 3 * * *' }), 'spec.schedule'],
  ['fewer images than none', cron({ importsToKeep: -1 }), 'spec.importsToKeep'],
  ['unknown garbage', cron({ garbageCollect: 'Sometimes' }), 'spec.garbageCollect'],
  ['unknown retention', cron({ retentionPolicy: 'Some' }), 'spec.retentionPolicy'],
  [
    'an unknown goal of a boot',
    cron({ metadata: { annotations: { 'steadyvm.io/verify-boot': 'yes' } } }),
    'metadata.annotations[steadyvm.io/verify-boot]',
  ],
  [
    'a deadline that is none',
    cron({ metadata: { annotations: { 'steadyvm.io/import-deadline': 'soon' } } }),
    'metadata.annotations[steadyvm.io/import-deadline]',
  ],
]

suite('validateDataImportCron()', () => {
  for (const [what, object, field, message] of cases)
    test(`${field === undefined ? 'accepts' : 'refuses'} ${what}`, () => {
      const causes = validateDataImportCron(object, undefined)
      assert.deepEqual(
        causes.map((cause) => cause.field),
        field === undefined ? [] : [field],
      )
      if (message !== undefined) assert.match(causes[0]?.message ?? '', message)
    })

  test('lets the spec never change, and notes always', () => {
    const before = cron({ managedDataSource: undefined })
    assert.deepEqual(
      validateDataImportCron(cron(), before).map(({ message }) => message),
      ['Cannot update DataImportCron Spec'],
    )
    assert.deepEqual(
      validateDataImportCron({ ...before, metadata: { ...before.metadata, annotations: { 'steadyvm.io/pin-import': 'a' } } }, before),
      [],
    )
  })
})
