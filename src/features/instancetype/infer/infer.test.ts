import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { InstancetypeMatcher, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { deepFreeze } from '#apimachinery/equality.ts'
import { isNotFound, notFound } from '#apimachinery/errors.ts'
import type { Lookup } from '../lookup.ts'
import { vmOf } from '../instancetype.fixture.ts'
import { InferenceFailed } from './inference-failed.ts'
import { inferredFromAnnotation } from './inferred-from.ts'
import { defaultLabels, inferMatchers, rememberInferred, settleMatchers } from './infer.ts'

const labels = {
  [defaultLabels.instancetype.name]: 'small',
  [defaultLabels.instancetype.kind]: 'VirtualMachineInstancetype',
  [defaultLabels.preference.name]: 'linux',
}
const unlabelled = { metadata: { labels: { 'instancetype.kubevirt.io/other': 'x' } } }
const pvc = { pvc: { name: 'golden', namespace: 'images' } }
const snapshot = { snapshot: { name: 'snap', namespace: 'images' } }

const objects: Readonly<Record<string, object>> = {
  'persistentvolumeclaims/team-a/labelled': { metadata: { labels } },
  'persistentvolumeclaims/team-a/bare': unlabelled,
  'persistentvolumeclaims/team-a/collected': { metadata: { labels } },
  'persistentvolumeclaims/images/golden': { metadata: { labels } },
  'volumesnapshots/images/snap': { metadata: { labels } },
  'datavolumes/team-a/labelled': { metadata: { labels }, spec: {} },
  'datavolumes/team-a/from-pvc': { ...unlabelled, spec: { source: pvc } },
  'datavolumes/team-a/from-snapshot': { metadata: {}, spec: { source: snapshot } },
  'datavolumes/team-a/from-http': { metadata: {}, spec: { source: { http: { url: 'https://x.test' } } } },
  'datasources/team-a/labelled': { metadata: { labels }, spec: { source: {} } },
  'datasources/images/labelled': { metadata: { labels }, spec: { source: {} } },
  'datasources/images/from-pvc': { metadata: {}, spec: { source: { pvc: { name: 'golden' } } } },
  'datasources/images/from-snapshot': { metadata: {}, spec: { source: snapshot } },
  'datasources/images/empty': { metadata: {}, spec: { source: {} } },
}
const lookup: Lookup = {
  client: {
    get: (resource, { namespace = '', name }) => {
      const object = objects[`${resource.plural}/${namespace}/${name}`]
      return object === undefined ? Promise.reject(notFound(resource, name)) : Promise.resolve(deepFreeze(object) as never)
    },
  },
}

const claim = (claimName: string): Omit<Volume, 'name'> => ({ persistentVolumeClaim: { claimName } })
const dataVolume = (name: string): Omit<Volume, 'name'> => ({ dataVolume: { name } })
const sourceRef = (name: string, namespace?: string, kind = 'DataSource'): DataVolumeSpec => ({
  sourceRef: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
})

interface Case {
  readonly name: string
  readonly volume: Omit<Volume, 'name'>
  /** Of a template named `made`. */
  readonly template?: DataVolumeSpec
  /** Expected failure instead of a name. */
  readonly fails?: 'ignorable' | 'hard'
}

const cases: readonly Case[] = [
  { name: 'a claim', volume: claim('labelled') },
  { name: 'a claim that lacks the label', volume: claim('bare'), fails: 'ignorable' },
  { name: 'a claim that is missing', volume: claim('none'), fails: 'hard' },
  { name: 'a container disk', volume: { containerDisk: { image: 'x' } }, fails: 'ignorable' },
  { name: 'a labelled DataVolume', volume: dataVolume('labelled') },
  { name: 'a DataVolume from a claim', volume: dataVolume('from-pvc') },
  { name: 'a DataVolume from a snapshot', volume: dataVolume('from-snapshot') },
  { name: 'a DataVolume from the web', volume: dataVolume('from-http'), fails: 'ignorable' },
  { name: 'a DataVolume that was collected', volume: dataVolume('collected') },
  { name: 'a DataVolume that is missing with its claim', volume: dataVolume('none'), fails: 'hard' },
  { name: 'a template from a claim', volume: dataVolume('made'), template: { source: pvc } },
  { name: 'a template from a snapshot', volume: dataVolume('made'), template: { source: snapshot } },
  { name: 'a template from nothing', volume: dataVolume('made'), template: {}, fails: 'ignorable' },
  { name: 'a template from a labelled DataSource', volume: dataVolume('made'), template: sourceRef('labelled', 'images') },
  { name: "a template from a DataSource in the VM's namespace", volume: dataVolume('made'), template: sourceRef('labelled') },
  { name: 'a template from a DataSource of a claim', volume: dataVolume('made'), template: sourceRef('from-pvc', 'images') },
  { name: 'a template from a DataSource of a snapshot', volume: dataVolume('made'), template: sourceRef('from-snapshot', 'images') },
  {
    name: 'a template from a DataSource of nothing',
    volume: dataVolume('made'),
    template: sourceRef('empty', 'images'),
    fails: 'ignorable',
  },
  { name: 'a template from a missing DataSource', volume: dataVolume('made'), template: sourceRef('none', 'images'), fails: 'hard' },
  { name: 'a template from something else', volume: dataVolume('made'), template: sourceRef('x', 'images', 'Thing'), fails: 'ignorable' },
]

function vmWith(matcher: InstancetypeMatcher, { volume, template }: Pick<Case, 'volume' | 'template'>): VirtualMachine {
  const vm = vmOf({ domain: { devices: {}, memory: { guest: '512Mi' } }, volumes: [{ name: 'root', ...volume }] })
  const templates = template === undefined ? {} : { dataVolumeTemplates: [{ metadata: { name: 'made' }, spec: template }] }
  return deepFreeze({ ...vm, spec: { ...vm.spec, ...templates, instancetype: matcher } })
}

/** Returns the outcome of an inference: a name, none, or a failure. */
async function outcome(vm: VirtualMachine): Promise<unknown> {
  try {
    const { spec } = (await inferMatchers(lookup, vm)).vm
    return { matcher: spec.instancetype, memory: spec.template.spec.domain?.memory?.guest }
  } catch (error) {
    if (error instanceof InferenceFailed) return error.ignorable ? 'ignorable' : 'hard'
    if (isNotFound(error)) return 'hard'
    throw error
  }
}

const small = { name: 'small', kind: 'VirtualMachineInstancetype' }

suite('inferMatchers()', () => {
  for (const row of cases) {
    for (const policy of [undefined, 'Reject', 'Ignore'] as const) {
      test(`infers from ${row.name} under policy ${policy}`, async () => {
        const matcher = { inferFromVolume: 'root', ...(policy === undefined ? {} : { inferFromVolumeFailurePolicy: policy }) }
        const memory = policy === 'Ignore' ? undefined : '512Mi'
        const ignored = row.fails === 'ignorable' && policy === 'Ignore'
        const wanted = ignored ? { matcher: undefined, memory: '512Mi' } : (row.fails ?? { matcher: small, memory })
        assert.deepEqual(await outcome(vmWith(matcher, row)), wanted)
      })
    }
  }

  test('fails for a volume that the VM does not have, under every policy', async () => {
    const matcher = { inferFromVolume: 'none', inferFromVolumeFailurePolicy: 'Ignore' }
    assert.equal(await outcome(vmWith(matcher, { volume: claim('labelled') })), 'hard')
  })

  test("keeps the VM's memory when only the preference is inferred", async () => {
    const { instancetype: _, ...spec } = vmWith({}, { volume: claim('labelled') }).spec
    const preference = { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' }
    const { vm, inferred } = await inferMatchers(lookup, { metadata: { namespace: 'team-a' }, spec: { ...spec, preference } })
    assert.deepEqual(vm.spec.preference, { name: 'linux' })
    assert.deepEqual(vm.spec.template.spec.domain.memory, { guest: '512Mi' })
    assert.deepEqual(inferred, { preference: { volume: 'root', name: 'linux' } })
  })

  test('returns the same VM if it infers nothing', async () => {
    const vm = vmWith({ name: 'small' }, { volume: claim('labelled') })
    assert.equal((await inferMatchers(lookup, vm)).vm, vm)
  })
})

suite('a manifest that infers and is applied again', () => {
  const note = JSON.stringify({ instancetype: { volume: 'root', ...small } })
  const old = vmWith({ ...small }, { volume: claim('labelled') })
  const noted = { ...old, metadata: { ...old.metadata, annotations: { [inferredFromAnnotation]: note } } }
  const settled = (matcher: InstancetypeMatcher, before: VirtualMachine | undefined = noted): VirtualMachine =>
    settleMatchers(vmWith(matcher, { volume: claim('labelled') }), before)

  const repeating: readonly InstancetypeMatcher[] = [
    { ...small, inferFromVolume: 'root' },
    { ...small, inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Reject' },
    { ...small, kind: '', inferFromVolume: 'root' },
    { ...small, name: '', inferFromVolume: 'root' },
    // As at the first time, a revision beside a volume says nothing.
    { ...small, inferFromVolume: 'root', revisionName: 'mine' },
  ]
  for (const matcher of repeating) {
    test(`keeps the stored matcher for ${JSON.stringify(matcher)}`, () => {
      assert.deepEqual(settled(matcher).spec.instancetype, small)
      const pinned = { ...noted, spec: { ...noted.spec, instancetype: { ...small, revisionName: 'pinned' } } }
      assert.deepEqual(settled(matcher, pinned).spec.instancetype, { ...small, revisionName: 'pinned' })
    })
  }

  test('restores the recorded inferred name when the stored matcher is gone', () => {
    const { instancetype: _, ...spec } = noted.spec
    assert.deepEqual(settled({ ...small, inferFromVolume: 'root' }, { ...noted, spec }).spec.instancetype, small)
  })

  test('drops again the memory that only replaces a missing name', () => {
    const vm = settled({ ...small, inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' })
    assert.deepEqual([vm.spec.instancetype, vm.spec.template.spec.domain.memory], [small, undefined])
  })

  test('infers again from another volume', () => {
    const matcher = { ...small, revisionName: 'old', inferFromVolume: 'other', inferFromVolumeFailurePolicy: 'Ignore' }
    const vm = settled(matcher)
    assert.deepEqual(vm.spec.instancetype, { inferFromVolume: 'other', inferFromVolumeFailurePolicy: 'Ignore' })
    assert.deepEqual(vm.spec.template.spec.domain.memory, { guest: '512Mi' })
  })

  const untouched: readonly (readonly [string, InstancetypeMatcher, VirtualMachine | undefined])[] = [
    ['another name was set meanwhile', { name: 'large', inferFromVolume: 'root' }, noted],
    ['another kind was set meanwhile', { name: 'small', kind: 'x', inferFromVolume: 'root' }, noted],
    ['nothing was inferred', { ...small, inferFromVolume: 'root' }, old],
    ['there is nothing before', { ...small, inferFromVolume: 'root' }, undefined],
    ['it names the volume alone', { inferFromVolume: 'root' }, noted],
    ['it infers nothing any more', small, noted],
  ]
  for (const [name, matcher, before] of untouched) {
    test(`is unchanged when ${name}`, () => {
      const vm = vmWith(matcher, { volume: claim('labelled') })
      assert.equal(settleMatchers(vm, before), vm)
    })
  }

  test('tolerates a malformed annotation', () => {
    for (const text of ['', '{', 'null', '[]', '{"instancetype":null}', '{"instancetype":{"volume":1,"name":"x"}}']) {
      const broken = { ...old, metadata: { ...old.metadata, annotations: { [inferredFromAnnotation]: text } } }
      const vm = vmWith({ ...small, inferFromVolume: 'root' }, { volume: claim('labelled') })
      assert.equal(settleMatchers(vm, broken), vm)
    }
  })
})

suite('rememberInferred()', () => {
  const vm = vmWith({ ...small }, { volume: claim('labelled') })

  test('records the inferred names, and keeps other annotations', () => {
    const annotated = { ...vm, metadata: { ...vm.metadata, annotations: { a: 'b' } } }
    const { annotations } = rememberInferred(annotated, undefined, { instancetype: { volume: 'root', ...small } }).metadata
    assert.equal(annotations?.['a'], 'b')
    assert.deepEqual(JSON.parse(annotations?.[inferredFromAnnotation] ?? ''), { instancetype: { volume: 'root', ...small } })
  })

  test('keeps valid records, and changes nothing when the record exists', () => {
    const noted = rememberInferred(vm, undefined, { instancetype: { volume: 'root', ...small } })
    assert.equal(rememberInferred(noted, noted, {}), noted)
    assert.deepEqual(rememberInferred(vm, noted, {}).metadata.annotations, noted.metadata.annotations)
    const switched = { ...vm, spec: { ...vm.spec, instancetype: { name: 'large' } } }
    assert.equal(rememberInferred(switched, noted, {}), switched)
  })
})
