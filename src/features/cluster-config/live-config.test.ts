import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { defaultClusterConfig } from './cluster-config.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { FakeApi } from '#runtime/cache/fake-api.fixture.ts'
import { silentLogger } from '#runtime/process/log.ts'
import { createVirtualClock, type VirtualClock } from '#runtime/clock/virtual-clock.ts'
import { chooseKubeVirt } from './choose-kubevirt.ts'
import { createLiveConfig, type LiveConfig } from './live-config.ts'

const key = { namespace: 'kubevirt', name: 'kubevirt' }

interface Setting {
  readonly api: FakeApi
  readonly clock: VirtualClock
  readonly live: LiveConfig
  /** Requests that the controllers got. */
  readonly woken: string[]
  readonly configure: (configuration: object) => Promise<void>
}

async function withLiveConfig(use: (setting: Setting) => Promise<void>): Promise<void> {
  const api = new FakeApi()
  const clock = createVirtualClock()
  const informers = createInformerSet({ client: api, clock, log: silentLogger, freeze: true })
  const live = createLiveConfig({ informers, log: silentLogger })
  const woken: string[] = []
  using _source = live.wake(() => [{ namespace: 'ns', name: 'web' }]).start((request) => woken.push(request.name))
  const stop = new AbortController()
  const running = informers.run(stop.signal)
  const configure = async (configuration: object): Promise<void> => {
    const object: KubeObject = { metadata: key, spec: { configuration } } as KubeObject
    if (api.stored(kubeVirts).length === 0) await api.create(kubeVirts, object)
    else await api.update(kubeVirts, object as KubeVirt)
    await clock.settle()
  }
  await clock.settle()
  await use({ api, clock, live, woken, configure })
  stop.abort()
  await running
}

suite('createLiveConfig()', () => {
  test('returns the defaults without an object, follows the object, and resets when it is deleted', () =>
    withLiveConfig(async ({ api, clock, live, configure }) => {
      await live.synced()
      assert.deepEqual(live.config(), defaultClusterConfig)
      await configure({ cpuModel: 'Haswell' })
      assert.equal(live.config().cpuModel, 'Haswell')
      await api.delete(kubeVirts, key)
      await clock.settle()
      assert.deepEqual(live.config(), defaultClusterConfig)
    }))

  test('returns the same object for the same settings', () =>
    withLiveConfig(async ({ api, clock, live, configure }) => {
      await configure({ cpuModel: 'Haswell' })
      const before = live.config()
      const [stored] = api.stored(kubeVirts)
      await api.update(kubeVirts, { ...stored, status: { outdatedVirtualMachineInstanceWorkloads: 3 } } as KubeVirt)
      await clock.settle()
      assert.equal(live.config(), before)
      await configure({ cpuModel: 'Skylake' })
      assert.notEqual(live.config(), before)
    }))

  test('keeps the last valid value while a setting is invalid', () =>
    withLiveConfig(async ({ live, configure }) => {
      await configure({ vmRolloutStrategy: 'Stage' })
      await configure({ vmRolloutStrategy: 'Sometimes', cpuModel: 'Haswell' })
      assert.equal(live.config().rolloutStrategy, 'Stage')
      assert.equal(live.config().cpuModel, 'Haswell')
      await configure({ cpuModel: 'Haswell' })
      assert.equal(live.config().rolloutStrategy, 'LiveUpdate')
    }))

  test('requeues only when a setting has changed', () =>
    withLiveConfig(async ({ live, woken, configure }) => {
      await configure({})
      assert.deepEqual(woken, ['web'], 'there is an installation now')
      assert.equal(live.installed(), true)
      await configure({ instancetype: { referencePolicy: 'expand' } })
      assert.deepEqual(woken, ['web', 'web'])
      await configure({ instancetype: { referencePolicy: 'expand' }, imagePullPolicy: 'Always' })
      assert.deepEqual(woken, ['web', 'web'], 'nothing that is acted on has changed')
      assert.equal(live.config().referencePolicy, 'expand')
    }))
})

test('chooseKubeVirt() returns the object of the usual name and namespace, else the oldest there, else the oldest of all', () => {
  const of = (name: string, year: number, namespace = 'kubevirt'): KubeVirt => ({
    metadata: { name, namespace, creationTimestamp: `${year}-01-01T00:00:00Z` },
    spec: {},
  })
  const nameOf = (...all: KubeVirt[]): string | undefined => chooseKubeVirt(all)?.metadata?.name
  assert.equal(nameOf(), undefined)
  assert.equal(nameOf(of('cnv', 2021, 'cnv'), of('kubevirt', 2020, 'mine')), 'kubevirt')
  assert.equal(nameOf(of('cnv', 2020, 'cnv'), of('b', 2025)), 'b')
  assert.equal(nameOf(of('b', 2024), of('a', 2025)), 'b')
  assert.equal(nameOf(of('b', 2024), of('kubevirt', 2025), of('a', 2023)), 'kubevirt')
})
