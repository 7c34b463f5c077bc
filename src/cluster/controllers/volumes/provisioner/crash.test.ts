import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { persistentVolumeClaims, persistentVolumes } from '#api/core/v1/resources.ts'
import { storageClasses } from '#api/storage/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { type CrashPoint, crashingClient } from '#cluster/crashing-client.fixture.ts'
import { createInformerSet } from '#runtime/cache/informer-set.ts'
import { systemClock as clock } from '#runtime/clock/clock.ts'
import { silentLogger as log } from '#runtime/process/log.ts'
import { createRecorder } from '#runtime/recorder/recorder.ts'
import { everyNth } from '#test/effort.ts'
import { createVolumeBinder } from '../binder/volume-binder-controller.ts'
import { createClaimProtectionController } from '../protection/claim-protection-controller.ts'
import { createVolumeProtectionController } from '../protection/volume-protection-controller.ts'
import { createLocalVolumeController } from './local-volume-controller.ts'
import { localProvisioner } from './provisioned-volume.ts'
import { createVolumeStore } from './volume-store.ts'

async function until(is: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 12_000; tries++) {
    if (await is()) return
    await clock.sleep(5)
  }
  throw new RangeError('it did not come true in time')
}

/**
 * Runs all that has to do with volumes until it dies, or the work is done. Resolves to whether it
 * lived to see it.
 */
async function runOnce(client: Client, folder: string, crash: CrashPoint, work: () => Promise<void>): Promise<boolean> {
  const crashing = crashingClient(client, crash)
  const informers = createInformerSet({ client: crashing.client, clock, log, freeze: true })
  const recorder = createRecorder({ client: crashing.client, component: 'test', clock, log })
  const options = { client: crashing.client, informers, clock, log, recorder }
  const controllers = [
    ...createVolumeBinder({ ...options, provisioner: localProvisioner }),
    ...createLocalVolumeController({ ...options, volumes: createVolumeStore(folder) }),
    createClaimProtectionController(options),
    createVolumeProtectionController(options),
  ]
  const stop = new AbortController()
  const running = [informers, ...controllers].map((runnable) => runnable.run(stop.signal).catch(() => {}))
  const survived = await Promise.race([crashing.crashed.then(() => false), work().then(() => true)])
  stop.abort()
  await Promise.all(running)
  await recorder.flush()
  return survived
}

/** Crashes at each write in turn, and restarts with nothing but the stored state. */
async function crashAndResume(client: Client, folder: string, crash: CrashPoint, work: () => Promise<void>): Promise<boolean> {
  if (await runOnce(client, folder, crash, work)) return false
  assert.ok(await runOnce(client, folder, { atWrite: Infinity, isDone: true }, work))
  return true
}

const key = { namespace: 'default', name: 'data' }

suite('local volumes, with a controller killed at each write', () => {
  for (const isDone of [true, false]) {
    test(`that ${isDone ? 'is done' : 'is not done'}: one volume for one claim, and both are deleted completely`, async () => {
      await using cluster = await startEmbeddedCluster(() => [])
      const { client } = cluster
      const folder = mkdtempSync(join(tmpdir(), 'volumes-'))
      const isBound = async (): Promise<boolean> => {
        const claim = await client.get(persistentVolumeClaims, key)
        return claim.status?.phase === 'Bound' && existsSync(join(folder, claim.spec?.volumeName ?? ''))
      }
      const isClean = async (): Promise<boolean> =>
        (await client.list(persistentVolumeClaims)).items.length === 0 &&
        (await client.list(persistentVolumes)).items.length === 0 &&
        readdirSync(folder).length === 0
      try {
        assert.ok(
          await runOnce(client, folder, { atWrite: Infinity, isDone }, () =>
            until(async () => (await client.list(storageClasses)).items.length === 1),
          ),
        )
        for (const atWrite of everyNth({ default: 3, long: 1 })) {
          await client.create(persistentVolumeClaims, {
            metadata: key,
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          })
          const diedBinding = await crashAndResume(client, folder, { atWrite, isDone }, () => until(isBound))
          assert.equal((await client.list(persistentVolumes)).items.length, 1)
          await client.delete(persistentVolumeClaims, key)
          const diedRemoving = await crashAndResume(client, folder, { atWrite, isDone }, () => until(isClean))
          if (!diedBinding && !diedRemoving) break
          assert.ok(atWrite < 40)
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
