import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findCondition } from '#apimachinery/conditions.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { killed } from './simulated-cluster.fixture.ts'
import { PopulatedCluster } from './uninstall/populated-cluster.fixture.ts'
import { uninstallNames } from './uninstall/names.ts'
import { repeats, seed as firstSeed } from '#test/effort.ts'

const schedules = repeats({ default: 5, long: 60 })

/** Lets the operator, which is started again when it was killed, work until something is so. */
async function live(cluster: PopulatedCluster, until: () => boolean, happen: () => void = () => {}): Promise<void> {
  let operate = cluster.operator()
  for (let second = 0; second < 600 && !until(); second++) {
    await operate().catch(() => void (operate = cluster.operator()))
    cluster.assertGuests()
    await cluster.step(1_000)
    cluster.assertGuests()
    happen()
  }
  assert.ok(until(), `${JSON.stringify(cluster.objects.get('kubevirts/kubevirt')?.status)} ${cluster.leftovers().join()}`)
}

const isGone = (cluster: PopulatedCluster) => (): boolean => !cluster.objects.has('kubevirts/kubevirt')
const isThere = (cluster: PopulatedCluster) => (): boolean => cluster.kubevirt.status?.observedKubeVirtVersion === 'v1.0.0'

async function installed(nodes: number, guests: number): Promise<PopulatedCluster> {
  const cluster = new PopulatedCluster(nodes)
  await live(cluster, isThere(cluster))
  await cluster.step(1_000)
  cluster.guests = guests
  return cluster
}

suite('uninstallation', () => {
  test('stops the guests, removes all objects, and allows a new installation', async () => {
    const cluster = await installed(3, 4)
    const before = cluster.leftovers()
    assert.deepEqual(cluster.kubevirt.metadata.finalizers, [uninstallNames.finalizer])
    cluster.uninstall()
    const operate = cluster.operator()
    await operate()
    const { status } = cluster.kubevirt
    const told = ['Created', 'Available', 'Progressing', 'Degraded', 'Synchronized'].map((type) => findCondition(status?.conditions, type))
    assert.equal(status?.phase, 'Deleting')
    assert.deepEqual(
      told.map((condition) => `${condition?.status} ${condition?.reason}`),
      [...Array.from({ length: 3 }, () => 'False DeletionInProgress'), 'True DeletionInProgress', 'True AsExpected'],
    )
    assert.equal(told[0]?.message, 'Waits for the last objects of things')
    await live(cluster, isGone(cluster))
    assert.deepEqual([cluster.guests, cluster.leftovers()], [0, []])
    cluster.install()
    // By the very operator that has removed it.
    for (let second = 0; second < 60; second++) {
      await operate()
      await cluster.step(1_000)
    }
    assert.ok(isThere(cluster)())
    assert.equal(
      cluster
        .leftovers()
        .filter((path) => !path.startsWith('pods/'))
        .join(),
      before.filter((path) => !path.startsWith('pods/')).join(),
    )
  })

  test('does not hang when the webhooks have no backend', async () => {
    const cluster = await installed(2, 3)
    cluster.isAdmissionDead = true
    cluster.uninstall()
    await live(cluster, isGone(cluster))
    assert.deepEqual(cluster.leftovers(), [])
  })

  test('reports errors', async () => {
    const cluster = await installed(1, 0)
    cluster.uninstall()
    let writes = 0
    cluster.onWrite = (moment) => {
      if (moment === 'before' && ++writes === 2) throw new Error('nobody may do that')
    }
    await assert.rejects(cluster.operator()(), /nobody may do that/)
    const condition = findCondition(cluster.kubevirt.status?.conditions, 'Synchronized')
    assert.deepEqual([condition?.status, condition?.reason, condition?.message], ['False', 'DeletionFailed', 'nobody may do that'])
    await live(cluster, isGone(cluster))
  })

  test('keeps the installation when a second KubeVirt object is deleted, and foreign finalizers', async () => {
    const cluster = await installed(1, 1)
    const metadata = {
      name: 'second',
      namespace: 'kubevirt',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['foregroundDeleteKubeVirt', 'other/one'],
    }
    cluster.put('kubevirts', { metadata, spec: {} } as KubeObject)
    await cluster.operator()()
    assert.deepEqual(cluster.objects.get('kubevirts/second')?.metadata?.finalizers, ['other/one'])
    assert.equal(cluster.kubevirt.status?.phase, 'Deployed')
    assert.equal(cluster.guests, 1)
  })

  test(`completes under random faults (${schedules} schedules from seed ${firstSeed})`, async () => {
    for (let seed = firstSeed; seed < firstSeed + schedules; seed++) {
      try {
        await runSchedule(seed)
      } catch (cause) {
        throw new Error(`STEADYVM_SEED=${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        })
      }
    }
  })
})

/**
 * Kills the operator at any write, stops and starts agents and API server, and restores deleted
 * objects.
 */
async function runSchedule(seed: number): Promise<void> {
  const random = createSeededRandom(seed)
  const cluster = await installed(1 + random.below(4), random.below(6))
  cluster.isAdmissionDead = random.chance(0.3)
  const definition = structuredClone(cluster.objects.get('customresourcedefinitions/things')) as KubeObject
  if (random.chance(0.3)) cluster.ask('v2.0.0')
  await cluster.step(1_000 * random.below(5))
  cluster.uninstall()
  let killsLeft = 20
  const moment = random.pick(['before', 'after'] as const)
  cluster.onWrite = (now) => void (now === moment && killsLeft > 0 && random.chance(0.4) && killsLeft-- && killed())
  await live(cluster, isGone(cluster), () => {
    const node = cluster.nodes[random.below(cluster.nodes.length)]
    if (node !== undefined && random.chance(0.1)) node.isReady = !node.isReady
    // As a machine does whose API server starts anew.
    if (killsLeft > 0 && random.chance(0.3) && !isGone(cluster)() && !cluster.objects.has('customresourcedefinitions/things')) {
      const { name = '', labels = {}, annotations = {} } = definition.metadata ?? {}
      cluster.put('customresourcedefinitions', { ...definition, metadata: { name, labels, annotations } })
      killsLeft--
    }
  })
  assert.deepEqual([cluster.guests, cluster.leftovers()], [0, []])
}
