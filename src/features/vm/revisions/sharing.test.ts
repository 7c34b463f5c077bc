import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { refreshAnnotation, revisionHistory, type HistoryEntry } from '#features/instancetype/index.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { historyLimitAnnotation } from './prune.ts'
import { named, startVmFixture, type VmFixture } from '../reconciler.fixture.ts'

const sharing = { ...defaultClusterConfig, featureGates: ['SharedRevisions'] }

async function startSharing(): Promise<VmFixture> {
  const fixture = await startVmFixture()
  fixture.config = sharing
  return fixture
}

/** Sets the CPUs of `small` and refreshes the VM. */
async function refresh(fixture: VmFixture, guest: number, metadata: { annotations?: object } = {}): Promise<void> {
  await fixture.setInstancetype('small', { cpu: { guest }, memory: { guest: '1Gi' } })
  await fixture.patchVm({ metadata: { annotations: { ...metadata.annotations, [refreshAnnotation]: String(guest) } } })
  await fixture.reconcile()
}

async function historyIn(fixture: VmFixture): Promise<readonly HistoryEntry[]> {
  const { items } = await fixture.client.list(controllerRevisions, { namespace: fixture.namespace })
  return revisionHistory(await fixture.vm(), items).filter(({ family }) => family === 'instancetype')
}

const cpusOf = ({ spec }: HistoryEntry): unknown => (spec as { cpu: { guest: number } }).cpu.guest

suite('a VM with shared revisions', () => {
  test('references them in its status, without owner references', async () => {
    await using fixture = await startSharing()
    await fixture.createVm(named)
    await fixture.reconcile()
    const { status, spec } = await fixture.vm()
    const names = [status?.instancetypeRef, status?.preferenceRef].map((ref) => ref?.controllerRevisionRef?.name ?? '')
    assert.deepEqual(names.toSorted(), (await fixture.revisions()).toSorted())
    for (const name of names) {
      const { metadata } = await fixture.client.get(controllerRevisions, { namespace: 'default', name })
      assert.match(name, /^shared-/)
      assert.equal(metadata.ownerReferences, undefined)
    }
    assert.deepEqual(spec.instancetype, named.instancetype)
    assert.equal(status?.steadyvm?.instancetype?.history, undefined, 'where nothing was left behind, nothing is to be remembered')
  })

  test('can be rolled back, repeatedly', async () => {
    await using fixture = await startSharing()
    await fixture.createVm(named)
    await fixture.reconcile()
    await refresh(fixture, 4)
    await refresh(fixture, 8)
    const before = await historyIn(fixture)
    assert.deepEqual(
      [before.map(cpusOf), before.map(({ inForce }) => inForce)],
      [
        [8, 4, 2],
        [true, false, false],
      ],
    )
    await fixture.patchVm({ spec: { instancetype: { revisionName: before[1]?.revision } } })
    await fixture.reconcile()
    const after = await historyIn(fixture)
    assert.deepEqual(
      [after.map(cpusOf), after.map(({ inForce }) => inForce)],
      [
        [8, 4, 2],
        [false, true, false],
      ],
    )
  })

  test('keeps as many in its history as the limit allows', async () => {
    await using fixture = await startSharing()
    await fixture.createVm(named)
    await fixture.reconcile()
    for (const guest of [4, 6, 8]) await refresh(fixture, guest, { annotations: { [historyLimitAnnotation]: '1' } })
    assert.deepEqual((await historyIn(fixture)).map(cpusOf), [8, 6])
  })

  test('keeps the order of its history when sharing is switched off and on', async () => {
    await using fixture = await startVmFixture()
    await fixture.createVm(named)
    await fixture.reconcile()
    await refresh(fixture, 3)
    fixture.config = sharing
    await refresh(fixture, 4)
    await refresh(fixture, 5)
    fixture.config = defaultClusterConfig
    await refresh(fixture, 6)
    const history = await historyIn(fixture)
    assert.deepEqual(history.map(cpusOf), [6, 5, 4, 3, 2])
    const isShared = history.map(({ revision }) => revision.startsWith('shared-'))
    assert.deepEqual(isShared, [false, true, true, false, false])
  })

  test('needs as many writes as with its own revisions: one for all that it captures', async () => {
    await using fixture = await startSharing()
    const writes: string[] = []
    await fixture.createVm(named)
    await fixture.reconcile((client) => ({
      ...client,
      create: (resource, object, options) => {
        writes.push(`create ${resource.kind}`)
        return client.create<never, never>(resource as never, object as never, options)
      },
      patch: (resource, key, patch, options) => {
        writes.push(`patch ${resource.kind}`)
        return client.patch(resource, key, patch, options)
      },
    }))
    assert.deepEqual(
      writes.filter((write) => write.includes('Revision')),
      ['create ControllerRevision', 'create ControllerRevision'],
    )
  })

  test('gets the original content for a replaced name that its spec names again', async () => {
    await using fixture = await startSharing()
    await fixture.createVm(named)
    await fixture.reconcile()
    const [first = '', second = ''] = await fixture.revisions()
    const replaced = { [first]: 'gone', [second]: 'gone-too', other: 'kept' }
    const status = { status: { instancetypeRef: null, preferenceRef: null, steadyvm: { replaced } } }
    await fixture.client.patch(
      virtualMachines,
      { namespace: 'default', name: 'web' },
      { type: 'merge', body: status },
      { subresource: 'status' },
    )
    await fixture.reconcile()
    assert.deepEqual((await fixture.vm()).status?.steadyvm?.replaced, { other: 'kept' })
  })

  test('is captured again when its revision is deleted by hand', async () => {
    await using fixture = await startSharing()
    await fixture.createVm(named)
    await fixture.reconcile()
    const names = await fixture.revisions()
    for (const name of names) await fixture.client.delete(controllerRevisions, { namespace: 'default', name })
    const before = await fixture.vm()
    await fixture.reconcile()
    assert.deepEqual(await fixture.revisions(), names)
    assert.equal((await fixture.vm()).metadata.resourceVersion, before.metadata.resourceVersion)
  })

  for (const moment of ['before', 'after'] as const) {
    test(`never references a missing revision when killed ${moment} any write`, async () => {
      for (let write = 1; ; write++) {
        await using fixture = await startSharing()
        await fixture.createVm({ ...named, runStrategy: 'Always' })
        let isDead = false
        await fixture.reconcile((client) => crashingClient(client, { write, moment }, () => (isDead = true))).catch(() => undefined)
        const { status } = await fixture.vm()
        const refs = [status?.instancetypeRef, status?.preferenceRef].map((ref) => ref?.controllerRevisionRef?.name)
        const there = await fixture.revisions()
        for (const name of refs) assert.ok(name === undefined || there.includes(name), `${name} after write ${write}`)
        await fixture.reconcile()
        assert.equal((await fixture.revisions()).length, 2)
        if (!isDead) return assert.ok(write > 4)
      }
    })
  }
})
