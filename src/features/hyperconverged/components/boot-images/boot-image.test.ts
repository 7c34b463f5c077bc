import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { valueAt } from '../../value-at.ts'
import { validateDataImportCron } from '#features/data-import-cron/index.ts'
import { bootImagesOf, commonNames, imagesByArchitecture, importTemplateOf, isMultiArchEnabled, type BootImage } from './boot-image.ts'
import { architecturesAnnotation as architectures, immediateBindAnnotation as bind } from './built-in-images.ts'
import { bootImageStatus, type BootImageFacts } from './report.ts'
import { importScheduleOf } from './schedule.ts'

const fedora = 'fedora-image-cron'
const schedule = '7 3/12 * * *'
const enable = 'dataimportcrontemplate.kubevirt.io/enable'

/** A template of a user for an image in a registry. */
function template(name: string, { url = 'docker://registry.example/x', ...rest }: Readonly<Record<string, unknown>> = {}): object {
  const { annotations, namespace, ...spec } = rest
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(annotations === undefined ? {} : { annotations }) },
    spec: { managedDataSource: name, template: { spec: { source: { registry: { url } } } }, ...spec },
  }
}

function platform(workloadSources: object, status: object = { dataImportSchedule: schedule }): never {
  return { metadata: { name: 'x', uid: 'u-1' }, spec: { workloadSources }, status } as never
}

function images(workloadSources: object, nodes: readonly string[] = ['amd64']): readonly BootImage[] {
  return bootImagesOf(platform(workloadSources), nodes)
}

const multi = { enableMultiArchBootImageImport: true }
const url = 'docker://quay.io/containerdisks/fedora:latest'

interface Case {
  readonly why: string
  readonly sources: object
  readonly nodes?: readonly string[]
  /** Parts of the image of fedora; undefined: it is not imported. */
  readonly image: Partial<BootImage> | undefined
}

const cases: readonly Case[] = [
  { why: 'a common image as it is', sources: {}, image: { isCommon: true, isModified: false, namespace: undefined } },
  { why: 'common images in a namespace', sources: { commonBootImageNamespace: 'golden' }, image: { namespace: 'golden' } },
  {
    why: 'the user switches it off',
    sources: { dataImportCronTemplates: [template(fedora, { annotations: { [enable]: 'false' } })] },
    image: undefined,
  },
  {
    why: 'the user switches it on again',
    sources: { dataImportCronTemplates: [template(fedora, { annotations: { [enable]: 'TRUE' } })] },
    image: { isModified: true },
  },
  {
    why: 'an item that is no template',
    sources: { dataImportCronTemplates: [null, template(fedora)] },
    image: { isModified: true, templateIndex: 1 },
  },
  {
    why: 'common images are not imported, also those that the user has changed',
    sources: { enableCommonBootImageImport: false, dataImportCronTemplates: [template(fedora)] },
    image: undefined,
  },
  {
    why: 'another image without a schedule',
    sources: { dataImportCronTemplates: [template(fedora, { importsToKeep: 4 })] },
    image: { isCommon: true, isModified: true, spec: { ...specOf(template(fedora, { importsToKeep: 4 })), schedule } },
  },
  {
    why: 'a schedule of the user',
    sources: { dataImportCronTemplates: [template(fedora, { schedule: '1 1 * * *' })] },
    image: { spec: { ...specOf(template(fedora)), schedule: '1 1 * * *' } },
  },
  {
    why: 'a changed image is where the user says, and not where the common ones are',
    sources: { commonBootImageNamespace: 'golden', dataImportCronTemplates: [template(fedora, { namespace: 'mine' })] },
    image: { namespace: 'mine' },
  },
  {
    why: 'annotations are merged',
    sources: { dataImportCronTemplates: [template(fedora, { annotations: { a: 'b', [bind]: 'false' } })] },
    image: { annotations: { a: 'b', [bind]: 'false', [architectures]: 'amd64,arm64,s390x' } },
  },
  {
    why: 'architectures of the nodes',
    sources: multi,
    nodes: ['arm64', 'amd64'],
    image: { annotations: { [bind]: 'true', [architectures]: 'amd64,arm64' }, isSupported: true },
  },
  {
    why: 'no node has an architecture',
    sources: multi,
    nodes: ['riscv64'],
    image: { architectures: ['amd64', 'arm64', 's390x'], isSupported: false },
  },
  {
    why: 'the same registry has the same architectures, whatever the user writes',
    sources: { ...multi, dataImportCronTemplates: [template(fedora, { url, annotations: { [architectures]: 'ppc64le' } })] },
    image: { annotations: { [bind]: 'true', [architectures]: 'amd64' } },
  },
  {
    why: 'another registry has the architectures that the user writes',
    sources: { ...multi, dataImportCronTemplates: [template(fedora, { annotations: { [architectures]: 'amd64, s390x' } })] },
    nodes: ['amd64', 'arm64'],
    image: { annotations: { [bind]: 'true', [architectures]: 'amd64' }, architectures: ['amd64', 's390x'] },
  },
  {
    why: 'another registry whose architectures the user does not write',
    sources: { ...multi, dataImportCronTemplates: [template(fedora)] },
    image: { annotations: { [bind]: 'true' }, architectures: undefined, isSupported: true },
  },
]

function specOf(of: object): Readonly<Record<string, unknown>> {
  return (of as { readonly spec: Readonly<Record<string, unknown>> }).spec
}

test('common boot images are merged with those of the user', () => {
  for (const { why, sources, nodes, image } of cases) {
    const found = images(sources, nodes).find(({ name }) => name === fedora)
    if (image === undefined) assert.equal(found, undefined, why)
    else for (const [key, value] of Object.entries(image)) assert.deepEqual(found?.[key as keyof BootImage], value, `${why}: ${key}`)
  }
})

test('images of the user are added, sorted by name', () => {
  const list = images({ dataImportCronTemplates: [template('z'), template('a', { annotations: { [enable]: 'no' } }), template('b')] })
  assert.deepEqual(
    list.map(({ name, isCommon, templateIndex }) => [name, isCommon, templateIndex]),
    [['b', false, 2], ...commonNames.toSorted().map((name) => [name, true, undefined]), ['z', false, 0]],
  )
})

test('the object of an image has defaults, and architectures only while those of all are imported', () => {
  const [image] = images({
    enableCommonBootImageImport: false,
    dataImportCronTemplates: [template('a', { annotations: { [architectures]: 'amd64' } })],
  })
  assert.ok(image !== undefined)
  assert.deepEqual(importTemplateOf(image), {
    metadata: { name: 'a', annotations: { [bind]: 'true' } },
    spec: { retentionPolicy: 'None', importsToKeep: 1, ...specOf(template('a')) },
  })
  const [described] = images({
    ...multi,
    enableCommonBootImageImport: false,
    dataImportCronTemplates: [template('a', { annotations: { [architectures]: 'amd64,arm64' } })],
  })
  assert.ok(described !== undefined)
  assert.deepEqual(importTemplateOf(described)['metadata'], { name: 'a', annotations: { [bind]: 'true', [architectures]: 'amd64' } })
})

test('an image of several architectures is imported once for each that nodes have, and the first one is the default', () => {
  const found = images(multi, ['amd64', 'arm64', 'riscv64']).flatMap((image) => imagesByArchitecture(image, ['amd64', 'arm64', 'riscv64']))
  const [amd64, arm64] = ['amd64', 'arm64'].map((each) => found.find(({ name }) => name === `${fedora}-${each}`))
  assert.deepEqual(
    [amd64, arm64].map((each) => each?.spec['managedDataSource']),
    ['fedora-amd64', 'fedora-arm64'],
  )
  assert.deepEqual(
    [amd64, arm64].map((each) => each?.annotations['steadyvm.io/default-data-source']),
    ['fedora', undefined],
  )
  assert.equal(valueAt(arm64?.spec, ['template', 'spec', 'source', 'registry', 'platform', 'architecture']), 'arm64')
  assert.equal(amd64?.labels['template.kubevirt.io/architecture'], 'amd64')
  assert.ok(found.every(({ annotations, architectures: all }) => annotations[architectures] === undefined || all === undefined))
  assert.equal(images({}).flatMap((image) => imagesByArchitecture(image, ['amd64'])).length, 3)
  for (const image of found)
    assert.deepEqual(validateDataImportCron({ metadata: {}, ...importTemplateOf(image) } as DataImportCron, undefined), [])
})

test('the objects of the common images are accepted where this system imports them itself', () => {
  for (const image of images({}))
    assert.deepEqual(validateDataImportCron({ metadata: {}, ...importTemplateOf(image) } as DataImportCron, undefined), [])
})

test('the field decides about architectures, and the gate while it is not set', () => {
  const featureGates = [{ name: 'enableMultiArchBootImageImport' }]
  const of = (spec: object): boolean => isMultiArchEnabled({ spec })
  assert.deepEqual([{}, { featureGates }, { featureGates, workloadSources: { enableMultiArchBootImageImport: false } }].map(of), [
    false,
    true,
    false,
  ])
})

test('the schedule is twice a day, differs between platforms, and is kept once it is stored', () => {
  const schedules = Array.from({ length: 200 }, (_, index) => importScheduleOf({ metadata: { name: 'x', uid: `uid-${index}` } }))
  for (const one of schedules) {
    const [, minute, hour] = /^(\d+) (\d+)\/12 \* \* \*$/.exec(one) ?? []
    assert.ok(Number(minute) < 60 && Number(hour) < 12, one)
  }
  assert.ok(new Set(schedules).size > 100)
  assert.equal(importScheduleOf(platform({})), schedule)
})

suite('status of boot images', () => {
  const facts: BootImageFacts = { nodeArchitectures: ['amd64'], importer: 'ssp', errors: new Map(), now: '2026-01-01T00:00:00Z' }
  const statusOf = (
    sources: object,
    change: Partial<BootImageFacts> = {},
    status: object = { dataImportSchedule: schedule },
  ): ReturnType<typeof bootImageStatus> => bootImageStatus(platform(sources, status), { ...facts, ...change })
  const conditionOf = (of: ReturnType<typeof bootImageStatus>, name: string): unknown =>
    (
      of.dataImportCronTemplates?.find(({ metadata }) => metadata?.['name'] === name)?.status as
        | { conditions?: readonly object[] }
        | undefined
    )?.conditions?.[0]

  test('the status has each image, and why it is not imported', () => {
    const status = statusOf({ dataImportCronTemplates: [template(fedora)] })
    assert.equal(status.dataImportSchedule, schedule)
    assert.deepEqual(
      status.dataImportCronTemplates?.map(({ status: of }) => of),
      [{ commonTemplate: true }, { commonTemplate: true }, { commonTemplate: true, modified: true }],
    )
    const rows = [
      [multi, { nodeArchitectures: ['riscv64'] }, 'UnsupportedArchitectures'],
      [{}, { importer: undefined }, 'NoImporter'],
      [{}, { importer: 'crons', errors: new Map([[fedora, 'a webhook is down']]) }, 'ImportNotConfigured'],
    ] as const
    for (const [sources, change, reason] of rows) {
      const condition = conditionOf(statusOf(sources, change), fedora) as { reason: string; status: string }
      assert.deepEqual([condition.reason, condition.status], [reason, 'False'])
    }
    const [first] = statusOf(multi).dataImportCronTemplates ?? []
    assert.equal(first?.status?.['originalSupportedArchitectures'], 'amd64,arm64,s390x')
  })

  test('a condition keeps its time, and a long list has no specs', () => {
    const first = statusOf({}, { importer: undefined })
    const later = statusOf({}, { importer: undefined, now: '2026-02-02T00:00:00Z' }, first)
    assert.deepEqual(later, first)
    const many = Array.from({ length: 400 }, (_, index) => template(`image-${index}`, { note: 'x'.repeat(1_000) }))
    const { dataImportCronTemplates = [] } = statusOf({ dataImportCronTemplates: many })
    assert.equal(dataImportCronTemplates.length, 403)
    assert.ok(JSON.stringify(dataImportCronTemplates).length < 256 * 1024)
  })
})
