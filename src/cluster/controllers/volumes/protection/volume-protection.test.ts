import assert from 'node:assert/strict'
import { test } from 'node:test'
import { persistentVolumeClaims, persistentVolumes, pods } from '#api/core/v1/resources.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createClaimProtectionController } from './claim-protection-controller.ts'
import { createVolumeProtectionController } from './volume-protection-controller.ts'

async function withControllers(work: (api: MemoryApi, settle: () => Promise<void>) => Promise<void>): Promise<void> {
  const clock = createVirtualClock()
  const api = new MemoryApi(() => clock.now())
  const stop = new AbortController()
  const informers = createInformerSet({ client: api, clock, log })
  const options = { client: api, informers, clock, log }
  const controllers = [createClaimProtectionController(options), createVolumeProtectionController(options)]
  const running = Promise.all([informers.run(stop.signal), ...controllers.map((controller) => controller.run(stop.signal))])
  try {
    await work(api, () => clock.advance(1_000))
  } finally {
    stop.abort()
    await clock.advance(0)
    await running
  }
}

const key = (name: string) => ({ namespace: 'default', name })

test('a deleted claim is kept while a scheduled pod uses it', () =>
  withControllers(async (api, settle) => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }]
    await api.create(persistentVolumeClaims, { metadata: key('data') })
    await api.create(pods, { metadata: key('waiting'), spec: { containers: [], volumes } })
    await api.create(pods, { metadata: key('user'), spec: { nodeName: 'n1', containers: [], volumes } })
    await settle()
    assert.deepEqual(api.peek(persistentVolumeClaims, 'default', 'data')?.metadata.finalizers, ['kubernetes.io/pvc-protection'])
    await api.delete(persistentVolumeClaims, key('data'))
    await settle()
    assert.ok(api.peek(persistentVolumeClaims, 'default', 'data') !== undefined)
    await api.delete(pods, key('user'), { gracePeriodSeconds: 0 })
    await settle()
    assert.equal(api.peek(persistentVolumeClaims, 'default', 'data'), undefined)
  }))

test('a deleted volume is kept while it is bound', () =>
  withControllers(async (api, settle) => {
    await api.create(persistentVolumes, { metadata: { name: 'disk' }, status: { phase: 'Bound' } })
    await settle()
    await api.delete(persistentVolumes, { name: 'disk' })
    await settle()
    assert.ok(api.peek(persistentVolumes, '', 'disk') !== undefined)
    await api.patch(
      persistentVolumes,
      { name: 'disk' },
      { type: 'merge', body: { status: { phase: 'Released' } } },
      { subresource: 'status' },
    )
    await settle()
    assert.equal(api.peek(persistentVolumes, '', 'disk'), undefined)
  }))
