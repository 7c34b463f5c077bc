import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataSource, DataSourceSource } from '#api/cdi/v1beta1/data-source.ts'
import { resolveSource, type SourceLookup } from './resolve.ts'

const namespace = 'images'
const at = (name: string, of: string = namespace): { namespace: string; name: string } => ({ namespace: of, name })

function source(name: string, of: DataSourceSource): DataSource {
  return { metadata: { namespace, name }, spec: { source: of } } as DataSource
}

interface Objects {
  readonly others?: readonly DataSource[]
  readonly claim?: object
  readonly phase?: string
  readonly snapshot?: object
}

function lookup({ others = [], claim, phase, snapshot }: Objects): SourceLookup {
  const named = (of: object | undefined): never | undefined => (of === undefined ? undefined : ({ metadata: at('disk'), ...of } as never))
  return {
    dataSource: (_, name) => others.find(({ metadata }) => metadata.name === name),
    dataVolume: () =>
      phase === undefined ? undefined : ({ metadata: { labels: { 'kubevirt.io/a': 'dv' } }, spec: {}, status: { phase } } as never),
    claim: () => named(claim),
    snapshot: () => named(snapshot),
  }
}

const disk: DataSourceSource = { pvc: at('disk') }
const labels = { 'instancetype.kubevirt.io/default-preference': 'fedora', 'cdi.kubevirt.io/dataImportCron': 'x', app: 'y' }
const filled = { metadata: { ...at('disk'), labels } }

const cases: readonly [what: string, of: DataSourceSource, objects: Objects, expected: string][] = [
  ['nothing', {}, {}, 'NoSource'],
  ['a claim that is not there', disk, {}, 'NotFound'],
  ['a claim', disk, { claim: filled }, 'ready'],
  ['the claim of a DataVolume that is filled', disk, { claim: filled, phase: 'Succeeded' }, 'ready'],
  ['a claim that is being filled', disk, { claim: filled, phase: 'ImportInProgress' }, 'ImportInProgress'],
  ['a claim that will be made', disk, { phase: '' }, 'Pending'],
  ['a claim that was filled and deleted', disk, { phase: 'Succeeded' }, 'NotFound'],
  ['a claim on its way out', disk, { claim: { metadata: { ...at('disk'), deletionTimestamp: '2026-01-01T00:00:00Z' } } }, 'NotFound'],
  [
    'a claim that waits for an upload',
    disk,
    { claim: { metadata: { ...at('disk'), annotations: { 'cdi.kubevirt.io/storage.upload.target': '' } } } },
    'UploadScheduled',
  ],
  ['a snapshot', { snapshot: at('disk') }, { snapshot: { status: { readyToUse: true } } }, 'ready'],
  ['a snapshot in progress', { snapshot: at('disk') }, { snapshot: {} }, 'SnapshotNotReady'],
  ['a snapshot that is not there', { snapshot: at('disk') }, {}, 'NotFound'],
  ['another one', { dataSource: at('b') }, { others: [source('b', disk)], claim: filled }, 'ready'],
  ['another one that is not there', { dataSource: at('b') }, {}, 'NotFound'],
  ['another one of elsewhere', { dataSource: at('b', 'else') }, { others: [source('b', disk)] }, 'CrossNamespaceReference'],
  ['itself', { dataSource: at('a') }, {}, 'SelfReference'],
  ['two others', { dataSource: at('b') }, { others: [source('b', { dataSource: at('c') })] }, 'MaxReferenceDepthReached'],
]

suite('resolveSource()', () => {
  for (const [what, of, objects, expected] of cases)
    test(`of a DataSource that names ${what}`, () => {
      const found = resolveSource(source('a', of), lookup(objects))
      assert.equal(found.kind === 'ready' ? 'ready' : found.reason, expected)
    })

  test('finds the labels that VMs infer their hardware from, and none of CDI', () => {
    const found = resolveSource(source('a', disk), lookup({ claim: filled, phase: 'Succeeded' }))
    assert.ok(found.kind === 'ready')
    assert.deepEqual(found.labels, { 'kubevirt.io/a': 'dv', 'instancetype.kubevirt.io/default-preference': 'fedora' })
  })
})
