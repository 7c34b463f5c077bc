import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { persistentVolumeClaims, persistentVolumes } from '#api/core/v1/resources.ts'
import { MemoryApi } from '#cluster/memory-api.fixture.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { createVirtualClock } from '#runtime/clock/virtual-clock.ts'
import { createVolumeBinder } from './volume-binder-controller.ts'

const step = fc.oneof(
  fc.record({ kind: fc.constant('volume' as const), size: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('claim' as const), size: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('forget' as const), size: fc.nat(5) }),
  fc.record({ kind: fc.constant('wait' as const), size: fc.nat(6) }),
  fc.record({ kind: fc.constant('restart' as const), size: fc.constant(0) }),
)

test('createVolumeBinder() binds each volume to one claim at most, and each claim that a volume matches, under any order of events and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const clock = createVirtualClock()
      const api = new MemoryApi(() => clock.now())
      const start = (): (() => Promise<void>) => {
        const stop = new AbortController()
        const informers = createInformerSet({ client: api, clock, log })
        const recorder = createRecorder({ client: api, component: 'test', clock, log })
        const options = { client: api, informers, clock, log, recorder, provisioner: 'p' }
        const running = [informers, ...createVolumeBinder(options)].map((runnable) => runnable.run(stop.signal))
        return async () => {
          stop.abort()
          await clock.advance(0)
          await Promise.all(running)
        }
      }
      let stop = start()
      for (const [index, { kind, size }] of steps.entries()) {
        const modes = { accessModes: ['ReadWriteOnce'] }
        if (kind === 'volume') {
          await api.create(persistentVolumes, {
            metadata: { name: `v${index}` },
            spec: { ...modes, capacity: { storage: `${size}Gi` } },
            status: { phase: 'Pending' },
          })
        } else if (kind === 'claim') {
          const spec = { ...modes, resources: { requests: { storage: `${size}Gi` } } }
          await api.create(persistentVolumeClaims, { metadata: { namespace: 'default', name: `c${index}` }, spec })
        } else if (kind === 'forget') {
          const found = api.all(persistentVolumeClaims)[size]
          if (found !== undefined) await api.delete(persistentVolumeClaims, { namespace: 'default', name: found.metadata.name ?? '' })
        } else if (kind === 'wait') {
          for (let turn = 0; turn < size; turn++) await new Promise((resolve) => setImmediate(resolve))
        } else {
          await stop()
          stop = start()
        }
      }
      await clock.advance(600_000)
      await stop()
      const volumes = api.all(persistentVolumes)
      const claims = api.all(persistentVolumeClaims)
      const bound = claims.filter(({ spec }) => spec?.volumeName !== undefined)
      assert.equal(new Set(bound.map(({ spec }) => spec?.volumeName)).size, bound.length)
      for (const { metadata, spec, status } of bound) {
        const volume = volumes.find((one) => one.metadata.name === spec?.volumeName)
        assert.deepEqual([volume?.spec?.claimRef?.uid, volume?.status?.phase, status?.phase], [metadata.uid, 'Bound', 'Bound'])
      }
      const free = volumes
        .filter(({ status }) => status?.phase === 'Available')
        .map(({ spec }) => Number.parseInt(String(spec?.capacity?.['storage']), 10))
      for (const { spec } of claims.filter((claim) => !bound.includes(claim))) {
        const wanted = Number.parseInt(String(spec?.resources?.requests?.['storage']), 10)
        assert.ok(free.every((size) => size < wanted))
      }
      const owners = new Set(claims.map(({ metadata }) => metadata.uid))
      for (const { spec, status } of volumes) {
        if (spec?.claimRef !== undefined && !owners.has(spec.claimRef.uid)) assert.equal(status?.phase, 'Released')
      }
    }),
    { numRuns: 60 },
  )
})
