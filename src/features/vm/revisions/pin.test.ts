import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes } from '#api/instancetype/v1beta1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Client } from '#client/client.ts'
import { refreshAnnotation } from '#features/instancetype/index.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

const refOf = (vm: VirtualMachine): string => vm.status?.instancetypeRef?.controllerRevisionRef?.name ?? ''
const generationOf = (vm: VirtualMachine): string => /-(\d+)$/.exec(refOf(vm))?.[1] ?? ''
const failureOf = (vm: VirtualMachine): string | undefined => findCondition(vm.status?.conditions, 'Failure')?.reason
const larger = { cpu: { guest: 4 }, memory: { guest: '2Gi' } }

async function reconciled(fixture: VmFixture): Promise<VirtualMachine> {
  await fixture.reconcile()
  return fixture.vm()
}

async function startNamed(): Promise<VmFixture> {
  const fixture = await startVmFixture()
  await fixture.createVm(named)
  await fixture.reconcile()
  return fixture
}

suite('a VM with matchers', () => {
  test('is captured before anything else, with its spec unchanged', async () => {
    await using fixture = await startVmFixture()
    const { spec } = await fixture.createVm(named)
    const vm = await reconciled(fixture)
    assert.deepEqual(vm.spec, spec)
    assert.equal(vm.metadata.generation, 1)
    assert.equal(generationOf(vm), '1')
    assert.deepEqual(vm.status?.steadyvm, { resources: { sockets: 2, cores: 1, threads: 1, memory: '1Gi' } })
    const again = await reconciled(fixture)
    assert.equal(again.metadata.resourceVersion, vm.metadata.resourceVersion)
  })

  test('keeps its hardware when the type changes, and reports the newer generation', async () => {
    await using fixture = await startNamed()
    await fixture.setInstancetype('small', larger)
    const vm = await reconciled(fixture)
    assert.equal(generationOf(vm), '1')
    assert.equal(vm.status?.steadyvm?.instancetype?.newerGeneration, 2)
    assert.equal(vm.status?.steadyvm?.resources?.sockets, 2)
  })

  test('reports no newer generation when the spec is the same', async () => {
    await using fixture = await startNamed()
    await fixture.setInstancetype('small', { cpu: { guest: 2 }, memory: { guest: '1024Mi' } })
    assert.equal((await reconciled(fixture)).status?.steadyvm?.instancetype, undefined)
  })

  test('has its type captured although its preference is missing, and the reverse', async () => {
    for (const [family, reason] of [
      ['preference', 'FailedFindPreference'],
      ['instancetype', 'FailedFindInstancetype'],
    ] as const) {
      await using fixture = await startVmFixture()
      await fixture.createVm({ ...named, [family]: { ...named[family], name: 'later' }, runStrategy: 'Always' })
      const waiting = await reconciled(fixture)
      assert.equal(failureOf(waiting), reason)
      assert.equal(waiting.status?.printableStatus, 'Stopped')
      assert.deepEqual(fixture.events, [], 'what is missing is said in a condition only')
      const [there, missing] =
        family === 'preference' ? (['instancetypeRef', 'preferenceRef'] as const) : (['preferenceRef', 'instancetypeRef'] as const)
      assert.ok(waiting.status?.[there]?.controllerRevisionRef?.name)
      assert.equal(waiting.status?.[missing], undefined, 'an empty reference is never stored')
    }
  })

  test('fails without capture when its own field conflicts with the type', async () => {
    await using fixture = await startVmFixture()
    await fixture.createVm({ ...named, template: { spec: { domain: { devices: {}, cpu: { cores: 2 } } } } })
    const vm = await reconciled(fixture)
    assert.equal(failureOf(vm), 'FailedCreate')
    assert.equal(vm.status?.instancetypeRef, undefined)
    assert.equal(fixture.events.length, 1)
    await fixture.reconcile()
    assert.equal(fixture.events.length, 1, 'an event tells of a transition')
  })

  test('fails when the revision name is taken by other content (9304), and recovers when that is deleted', async () => {
    await using fixture = await startNamed()
    const name = refOf(await fixture.vm())
    const key = { namespace: fixture.namespace, name }
    const { metadata, ...rest } = await fixture.client.get(controllerRevisions, key)
    await fixture.client.delete(controllerRevisions, key)
    const { labels = {}, ownerReferences = [] } = metadata
    const data = { ...rest.data, spec: { cpu: { guest: 7 }, memory: { guest: '1Gi' } } }
    await fixture.client.create(controllerRevisions, { ...rest, data, metadata: { ...key, labels, ownerReferences } })
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: 'now' } } })
    const failed = await reconciled(fixture)
    assert.equal(failureOf(failed), 'FailedCreate')
    assert.ok(findCondition(failed.status?.conditions, 'Failure')?.message?.endsWith(`unexpected data: ${name}`))
    await fixture.client.delete(controllerRevisions, key)
    assert.equal(failureOf(await reconciled(fixture)), undefined)
  })

  test('loses references from its status when its spec loses the matchers (16071)', async () => {
    await using fixture = await startNamed()
    await fixture.patchVm({ spec: { instancetype: null } })
    const vm = await reconciled(fixture)
    assert.equal(vm.status?.instancetypeRef, undefined)
    assert.ok(vm.status?.preferenceRef)
    await fixture.setInstancetype('small', larger)
    await fixture.patchVm({ spec: { instancetype: named.instancetype } })
    assert.equal(generationOf(await reconciled(fixture)), '2', 'naming it again takes it as it is now')
  })

  test('keeps its revision when the kind is spelled differently, and shows the new spelling', async () => {
    await using fixture = await startNamed()
    const before = refOf(await fixture.vm())
    await fixture.setInstancetype('small', larger)
    await fixture.patchVm({ spec: { instancetype: { kind: 'virtualmachineinstancetypes' } } })
    const vm = await reconciled(fixture)
    assert.equal(refOf(vm), before)
    assert.equal(vm.status?.instancetypeRef?.kind, 'virtualmachineinstancetypes')
  })

  test('is captured again when its revision is deleted, and reports what is lost when that is impossible', async () => {
    await using fixture = await startNamed()
    const name = refOf(await fixture.vm())
    await fixture.client.delete(controllerRevisions, { namespace: fixture.namespace, name })
    assert.equal(refOf(await reconciled(fixture)), name)
    assert.ok((await fixture.revisions()).includes(name))
    await fixture.client.delete(controllerRevisions, { namespace: fixture.namespace, name })
    await fixture.client.delete(virtualMachineInstancetypes, { namespace: fixture.namespace, name: 'small' })
    const lost = await reconciled(fixture)
    assert.equal(failureOf(lost), 'FailedFindInstancetype')
    assert.match(
      findCondition(lost.status?.conditions, 'Failure')?.message ?? '',
      new RegExp(`"${name}" not found; .* rollout refresh vm/web`),
    )
    assert.equal(refOf(lost), name)
  })

  test('is captured again under the revisionName in its spec, with the same content', async () => {
    await using fixture = await startNamed()
    const { metadata } = await fixture.client.get(virtualMachineInstancetypes, { namespace: fixture.namespace, name: 'small' })
    const legacy = `web-small-${metadata.uid}-1`
    const name = refOf(await fixture.vm())
    await fixture.patchVm({ spec: { instancetype: { revisionName: legacy } } })
    assert.equal(refOf(await reconciled(fixture)), name)
    // The captured revision holds the old content: the live object may change.
    await fixture.setInstancetype('small', larger)
    const kept = await reconciled(fixture)
    assert.equal(refOf(kept), name)
    assert.equal(kept.spec.instancetype?.revisionName, legacy)
    assert.deepEqual(kept.status?.steadyvm?.replaced, { [legacy]: name })
  })
})

test('a type that appears later and conflicts with the VM is not captured, and the conflicting fields are reported', async () => {
  await using fixture = await startVmFixture()
  const template = { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } }
  await fixture.createVm({ instancetype: { ...named.instancetype, name: 'late' }, template })
  await fixture.reconcile()
  await fixture.setInstancetype('late', larger)
  const vm = await reconciled(fixture)
  const told =
    'error encountered while storing instancetype.kubevirt.io controllerRevisions: ' +
    'VM field(s) spec.template.spec.domain.memory.guest conflicts with selected instance type'
  const failure = findCondition(vm.status?.conditions, 'Failure')
  assert.deepEqual([failure?.reason, failure?.message, refOf(vm)], ['FailedCreate', told, ''])
  await fixture.reconcile()
  assert.deepEqual(fixture.events, [`Warning FailedCreate ${told}`])
})

/** Returns a client of an API server that drops steadyvm's extension of the status. */
function forgetful(client: Client): Client {
  return {
    ...client,
    patch: (resource, key, patch, options) => {
      if (options?.subresource !== 'status' || patch.type !== 'merge') return client.patch(resource, key, patch, options)
      const body = structuredClone(patch.body) as { status?: { steadyvm?: unknown } | undefined }
      if (body.status !== undefined) body.status = { ...body.status, steadyvm: null }
      return client.patch(resource, key, { type: 'merge', body }, options)
    },
  }
}

suite('a refresh', () => {
  test('happens when revisionName is removed from the spec', async () => {
    await using fixture = await startNamed()
    const first = refOf(await fixture.vm())
    await fixture.setInstancetype('small', larger)
    await fixture.patchVm({ spec: { instancetype: { revisionName: first } } })
    const pinned = await reconciled(fixture)
    assert.equal(refOf(pinned), first)
    assert.equal(pinned.status?.steadyvm?.instancetype?.specRevisionName, first)
    await fixture.patchVm({ spec: { instancetype: { revisionName: null } } })
    const fresh = await reconciled(fixture)
    assert.equal(generationOf(fresh), '2')
    assert.equal(fresh.status?.steadyvm?.instancetype, undefined)
    assert.equal(fresh.status?.steadyvm?.resources?.sockets, 4)
    assert.equal(refOf(await reconciled(fixture)), refOf(fresh))
  })

  test('happens once for each new value of the annotation', async () => {
    await using fixture = await startNamed()
    await fixture.setInstancetype('small', larger)
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: '2026-01-01T00:00:00Z' } } })
    const fresh = await reconciled(fixture)
    assert.equal(generationOf(fresh), '2')
    assert.equal(fresh.status?.steadyvm?.refresh, '2026-01-01T00:00:00Z')
    await fixture.setInstancetype('small', { ...larger, cpu: { guest: 8 } })
    assert.equal(generationOf(await reconciled(fixture)), '2')
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: '2026-01-02T00:00:00Z' } } })
    assert.equal(generationOf(await reconciled(fixture)), '3')
  })

  test("happens once although the CRD drops the status extension, as KubeVirt's own CRD does", async () => {
    await using fixture = await startNamed()
    const look = async (): Promise<VirtualMachine> => {
      await fixture.reconcile(forgetful)
      return fixture.vm()
    }
    await fixture.setInstancetype('small', larger)
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: '1' } } })
    const fresh = await look()
    assert.deepEqual([generationOf(fresh), fresh.status?.steadyvm?.refresh], ['2', undefined])
    await fixture.setInstancetype('small', { ...larger, cpu: { guest: 8 } })
    const later = await look()
    assert.equal(generationOf(later), '2')
    assert.equal((await look()).metadata.resourceVersion, later.metadata.resourceVersion, 'nothing is written any more')
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: '2' } } })
    assert.equal(generationOf(await look()), '3')
  })

  test('that finds no object reports so, keeps the old revision, and happens later', async () => {
    await using fixture = await startNamed()
    const first = refOf(await fixture.vm())
    await fixture.client.delete(virtualMachineInstancetypes, { namespace: fixture.namespace, name: 'small' })
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: '1' } } })
    const failed = await reconciled(fixture)
    assert.deepEqual([failureOf(failed), refOf(failed), failed.status?.steadyvm?.refresh], ['FailedFindInstancetype', first, undefined])
    await fixture.setInstancetype('small', larger)
    const fresh = await reconciled(fixture)
    assert.notEqual(refOf(fresh), first)
    assert.deepEqual([failureOf(fresh), fresh.status?.steadyvm?.refresh], [undefined, '1'])
  })

  test('is undone by naming the old revision', async () => {
    await using fixture = await startNamed()
    const first = refOf(await fixture.vm())
    await fixture.setInstancetype('small', larger)
    await fixture.patchVm({ metadata: { annotations: { [refreshAnnotation]: '1' } } })
    await fixture.reconcile()
    await fixture.patchVm({ spec: { instancetype: { revisionName: first } } })
    const undone = await reconciled(fixture)
    assert.equal(refOf(undone), first)
    assert.equal(undone.status?.steadyvm?.resources?.sockets, 2)
    assert.equal((await fixture.revisions()).length, 3, 'both are kept')
  })
})
