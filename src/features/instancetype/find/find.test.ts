import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { InstancetypeMatcher, InstancetypeStatusRef, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isNotFound, notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { instancetypeOf, preferenceOf, vmOf, revisionOf } from '../instancetype.fixture.ts'
import { UnexpectedKind } from '../matcher.ts'
import { RevisionUndecodable } from '../codec/codec.ts'
import { findInstancetype, findPreference } from './find.ts'
import type { Lookup } from '../lookup.ts'

const own = { name: 'small', kind: 'VirtualMachineInstancetype' }
const live = instancetypeOf({ cpu: { guest: 8 } })
const cluster = { ...instancetypeOf({ cpu: { guest: 16 } }), kind: 'VirtualMachineClusterInstancetype' as const }
const pinned = revisionOf(vmOf(), instancetypeOf())
const ofOther = revisionOf(vmOf(), { ...instancetypeOf({ cpu: { guest: 3 } }), metadata: { name: 'other', uid: 'o', generation: 1 } })
const ofPreference = revisionOf(vmOf(), preferenceOf())
const ofOtherVm: ControllerRevision = { ...ofOther, metadata: { ...ofOther.metadata, name: 'of-other-vm', ownerReferences: [] } }
const revisions: readonly ControllerRevision[] = [pinned, ofOther, ofOtherVm, ofPreference]
const nameOf = ({ metadata }: ControllerRevision): string => metadata.name ?? ''

/** Returns an API with these objects that records its requests. */
function lookupOf(
  objects: Readonly<Record<string, KubeObject>>,
  cached: readonly ControllerRevision[] = [],
): Lookup & { readonly asked: string[] } {
  const asked: string[] = []
  const get = async <T extends KubeObject>(resource: ResourceType<T>, { name }: { name: string }): Promise<T> => {
    asked.push(`${resource.kind}/${name}`)
    const found = objects[`${resource.kind}/${name}`]
    if (found === undefined) throw notFound(resource, name)
    return found as T
  }
  return { client: { get }, asked, cached: (_, __, name) => cached.find((revision) => nameOf(revision) === name) as never }
}

const stored = Object.fromEntries(revisions.map((revision) => [`ControllerRevision/${nameOf(revision)}`, revision]))
const all = { ...stored, 'VirtualMachineInstancetype/small': live, 'VirtualMachineClusterInstancetype/small': cluster }

function vmWith(matcher: InstancetypeMatcher | undefined, ref?: InstancetypeStatusRef): VirtualMachine {
  const spec = { ...vmOf().spec, ...(matcher === undefined ? {} : { instancetype: matcher }) }
  return { ...vmOf(), spec, status: ref === undefined ? {} : { instancetypeRef: ref } }
}

const refTo = (revision: ControllerRevision, ref: InstancetypeStatusRef = own): InstancetypeStatusRef => ({
  ...ref,
  controllerRevisionRef: { name: nameOf(revision) },
})

suite('findInstancetype()', () => {
  const rows = [
    { reason: 'of its namespace', vm: vmWith(own), guest: 8 },
    { reason: 'of its namespace, spelled otherwise', vm: vmWith({ ...own, kind: 'virtualmachineinstancetypes' }), guest: 8 },
    { reason: 'of the cluster', vm: vmWith({ ...own, kind: 'VirtualMachineClusterInstancetype' }), guest: 16 },
    { reason: 'of the cluster when no kind is named', vm: vmWith({ name: 'small' }), guest: 16 },
    { reason: 'of the cluster when the kind is empty', vm: vmWith({ name: 'small', kind: '' }), guest: 16 },
    { reason: 'of the revision in the status', vm: vmWith(own, refTo(pinned)), guest: 2 },
    { reason: 'of the revision in the spec', vm: vmWith({ ...own, revisionName: nameOf(pinned) }), guest: 2 },
    {
      reason: 'of the revision in the spec before that in the status',
      vm: vmWith({ ...own, revisionName: nameOf(ofOther) }, refTo(pinned)),
      guest: 3,
    },
    { reason: 'of a revision of another object in the status that the VM controls', vm: vmWith(own, refTo(ofOther)), guest: 3 },
    { reason: 'the live object when the VM does not control it (14595)', vm: vmWith(own, refTo(ofOtherVm)), guest: 8 },
    { reason: 'of the cluster when only the kind was switched', vm: vmWith({ name: 'small' }, refTo(pinned)), guest: 16 },
    {
      reason: 'of the cluster when the revision is of the other scope and not its own',
      vm: vmWith({ name: 'small' }, refTo(ofOtherVm, { name: 'small' })),
      guest: 16,
    },
  ]
  for (const { reason, vm, guest } of rows) {
    test(`prefers ${reason}`, async () => {
      assert.equal((await findInstancetype(lookupOf(all), vm))?.object.spec.cpu.guest, guest)
    })
  }

  test('returns undefined for a VM without matchers, and sends no request', async () => {
    const lookup = lookupOf(all)
    assert.equal(await findInstancetype(lookup, vmWith(undefined)), undefined)
    assert.equal(await findPreference(lookup, vmWith(undefined)), undefined)
    assert.deepEqual(lookup.asked, [])
  })

  test('reads a revision from the cache, and from the API when the cache does not have it', async () => {
    const vm = vmWith(own, refTo(pinned))
    const warm = lookupOf({}, [pinned])
    assert.equal((await findInstancetype(warm, vm))?.revision, pinned)
    assert.deepEqual(warm.asked, [])
    const cold = lookupOf(all)
    await findInstancetype(cold, vm)
    assert.deepEqual(cold.asked, [`ControllerRevision/${nameOf(pinned)}`])
  })

  test('reports a missing object with the message of the API', async () => {
    await assert.rejects(findInstancetype(lookupOf({}), vmWith(own)), isNotFound)
    await assert.rejects(findInstancetype(lookupOf(all), vmWith({ ...own, revisionName: 'gone' })), isNotFound)
    await assert.rejects(findInstancetype(lookupOf(all), vmWith({ inferFromVolume: 'root' })), isNotFound)
  })

  test('rejects unknown kinds and revisions of the wrong family', async () => {
    await assert.rejects(findInstancetype(lookupOf(all), vmWith({ name: 'a', kind: 'Pod' })), (error) => {
      assert.ok(error instanceof UnexpectedKind)
      return error.message === 'got unexpected kind in InstancetypeMatcher: Pod'
    })
    const vm = { ...vmOf(), spec: { ...vmOf().spec, preference: { name: 'a', kind: 'Pod' } } }
    await assert.rejects(findPreference(lookupOf(all), vm), (error) => {
      assert.ok(error instanceof UnexpectedKind)
      return error.message === 'got unexpected kind in PreferenceMatcher: Pod'
    })
    await assert.rejects(findInstancetype(lookupOf(all), vmWith({ ...own, revisionName: nameOf(ofPreference) })), (error) => {
      assert.ok(error instanceof RevisionUndecodable)
      return error.message.startsWith('unexpected type in ControllerRevision: VirtualMachinePreference')
    })
  })
})

suite('revisions of all KubeVirt releases', () => {
  const inBase64 = (spec: object): string => Buffer.from(JSON.stringify(spec)).toString('base64')
  const spec = { cpu: { guest: 5 }, memory: { guest: '1Gi' } }
  const rows: readonly { readonly reason: string; readonly data: Record<string, unknown>; readonly status?: boolean }[] = [
    { reason: '0.56: the bare spec', data: { apiVersion: 'instancetype.kubevirt.io/v1alpha1', spec: inBase64(spec) } },
    { reason: '0.57: without version (9261)', data: { apiVersion: '', spec: inBase64(spec) } },
    {
      reason: '0.58: v1alpha2',
      data: { apiVersion: 'instancetype.kubevirt.io/v1alpha2', kind: own.kind, metadata: { name: 'small' }, spec },
    },
    {
      reason: '1.3: rewritten from a bare spec',
      data: {
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: own.kind,
        metadata: { name: 'old-version-of-instancetype-object' },
        spec,
      },
    },
    { reason: '1.0: v1beta1', data: { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: own.kind, metadata: { name: 'small' }, spec } },
  ]
  for (const { reason, data } of rows) {
    test(`are decoded: ${reason}, named by the spec and by the status`, async () => {
      const old: ControllerRevision = { metadata: { name: 'web-small-u-1' }, data, revision: 0 }
      for (const vm of [vmWith({ ...own, revisionName: 'web-small-u-1' }), vmWith(own, refTo(old))]) {
        const found = await findInstancetype(lookupOf({ ...all, 'ControllerRevision/web-small-u-1': old }), vm)
        assert.deepEqual([found?.object.spec, found?.object.metadata.name, found?.object.kind], [spec, 'small', own.kind])
      }
    })
  }

  test('decode as preferences, where an empty topology means none', async () => {
    const data = { apiVersion: '', spec: inBase64({ cpu: { preferredCPUTopology: '' }, devices: { preferredDiskBus: 'virtio' } }) }
    const old: ControllerRevision = { metadata: { name: 'old' }, data, revision: 0 }
    const vm = { ...vmOf(), spec: { ...vmOf().spec, preference: { name: 'linux', revisionName: 'old' } } }
    const found = await findPreference(lookupOf({ 'ControllerRevision/old': old }), vm)
    assert.deepEqual(found?.object.spec, { cpu: {}, devices: { preferredDiskBus: 'virtio' } })
    assert.equal(found?.object.kind, 'VirtualMachineClusterPreference')
  })

  test('are rejected when they hold neither family', async () => {
    const old: ControllerRevision = { metadata: { name: 'old' }, data: { apiVersion: '', spec: '%%%' }, revision: 0 }
    await assert.rejects(
      findInstancetype(lookupOf({ 'ControllerRevision/old': old }), vmWith({ ...own, revisionName: 'old' })),
      RevisionUndecodable,
    )
  })
})
