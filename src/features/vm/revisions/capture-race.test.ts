import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { startTestCluster } from '#features/cluster.fixture.ts'
import { named, vmFixtureIn, type VmFixture } from '../reconciler.fixture.ts'
import { repeats } from '#test/effort.ts'

const runs = repeats({ default: 150, long: 1000 })
/** More calls than the controller makes until a VM has started. */
const mostCalls = 16

type Change = 'delete the type' | 'change the type' | 'replace the type' | 'delete the preference' | 'change the preference'
const changes: readonly Change[] = [
  'delete the type',
  'change the type',
  'replace the type',
  'delete the preference',
  'change the preference',
]

/** Returns a pseudo-random sequence that is the same in every run. */
function sequence(seed: number): () => number {
  let state = (seed + 1) * 2_654_435_761
  return () => {
    state = (state ^ (state << 13)) >>> 0
    state = (state ^ (state >>> 17)) >>> 0
    state = (state ^ (state << 5)) >>> 0
    return state / 2 ** 32
  }
}

/** Returns a client that calls `happen` right before its n-th call. */
function interrupted(client: Client, call: number, act: () => Promise<void>): Client {
  let count = 0
  const then = async <T>(perform: () => Promise<T>): Promise<T> => {
    count += 1
    if (count === call) await act()
    return perform()
  }
  return {
    ...client,
    get: (...args) => then(() => client.get(...args)),
    create: (resource, object, options) => then(() => client.create<never, never>(resource as never, object as never, options)),
    patch: (...args) => then(() => client.patch(...args)),
  }
}

async function applyChange(fixture: VmFixture, change: Change): Promise<void> {
  const { client, namespace } = fixture
  const changed = { cpu: { guest: 5 }, memory: { guest: '3Gi' } }
  switch (change) {
    case 'delete the type':
      return client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
    case 'change the type':
      return fixture.setInstancetype('small', changed)
    case 'replace the type':
      await client.delete(virtualMachineInstancetypes, { namespace, name: 'small' })
      return fixture.setInstancetype('small', changed)
    case 'delete the preference':
      return client.delete(virtualMachinePreferences, { namespace, name: 'linux' })
    case 'change the preference':
      return fixture.setPreference('linux', { cpu: { preferredCPUTopology: 'cores' } })
  }
}

/** Checks that the guest runs with the captured revisions, and that these are complete. */
async function check(fixture: VmFixture, what: string): Promise<boolean> {
  const { client, namespace } = fixture
  const { status } = await fixture.vm()
  const vmi = await fixture.vmi().catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  for (const ref of [status?.instancetypeRef, status?.preferenceRef]) {
    assert.ok(ref === undefined || (ref?.controllerRevisionRef?.name ?? '') !== '', `${what}: an empty reference`)
  }
  if (vmi === undefined) {
    assert.match(findCondition(status?.conditions, 'Failure')?.reason ?? '', /^FailedFind/, `${what}: neither started nor failed`)
    return false
  }
  const specOf = async (name: string | undefined): Promise<Record<string, Record<string, unknown>>> =>
    (await client.get(controllerRevisions, { namespace, name: name ?? '' })).data?.['spec'] as never
  const type = await specOf(status?.instancetypeRef?.controllerRevisionRef?.name)
  const preference = await specOf(status?.preferenceRef?.controllerRevisionRef?.name)
  const started = (await client.get(controllerRevisions, { namespace, name: vmi.status?.virtualMachineRevisionName ?? '' })).data
  const pinned = started?.['spec'] as { instancetype: { revisionName: string } }
  assert.equal(pinned.instancetype.revisionName, status?.instancetypeRef?.controllerRevisionRef?.name, what)
  const { cpu, memory } = vmi.spec.domain
  const axis = preference['cpu'] === undefined ? 'sockets' : 'cores'
  assert.equal(cpu?.[axis], type['cpu']?.['guest'], what)
  assert.equal(memory?.guest, type['memory']?.['guest'], what)
  return true
}

suite('deleting or changing a type or preference before the first start', () => {
  test(`never leaves a VM half captured, or started with other hardware: ${runs} runs`, async () => {
    await using cluster = await startTestCluster()
    let [started, waited] = [0, 0]
    for (let run = 0; run < runs; run += 1) {
      const random = sequence(run)
      const change = changes[run % changes.length] as Change
      const call = 1 + Math.floor(random() * mostCalls)
      const what = `run ${run}: ${change} before call ${call}`
      const fixture = await vmFixtureIn(cluster, `race-${run}`)
      await fixture.setInstancetype('small', { cpu: { guest: 2 }, memory: { guest: '1Gi' } })
      await fixture.setPreference('linux', {})
      await fixture.createVm({ ...named, runStrategy: 'Always' })
      const through = (client: Client): Client => interrupted(client, call, () => applyChange(fixture, change))
      await fixture.reconcile(through).catch((error: unknown) => assert.ok(error instanceof Error, what))
      await fixture.reconcile()
      if (await check(fixture, what)) {
        started += 1
        continue
      }
      waited += 1
      // The missing object appears: the VM is requeued and starts.
      await fixture.setInstancetype('small', { cpu: { guest: 6 }, memory: { guest: '2Gi' } })
      await fixture.setPreference('linux', {})
      await fixture.reconcile()
      assert.ok(await check(fixture, what), `${what}: it does not start although all is there`)
    }
    assert.ok(started > runs / 4 && waited > runs / 100, `started at once: ${started}, waited: ${waited}`)
    assert.equal((await cluster.client.list(virtualMachineInstances)).items.length, runs)
  })
})
