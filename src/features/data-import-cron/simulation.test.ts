import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { dataImportCrons } from '#api/cdi/v1beta1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Client } from '#client/client.ts'
import { until } from '#features/cluster.fixture.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { startImportCluster } from '#features/data-volume/import-cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { repeats, seed } from '#test/effort.ts'
import { cronKey, cronOf, importNames, look, selectedImage, startImageWorld, type Fate, type ImageWorld } from './image-world.fixture.ts'
import { importName } from './imports/import-name.ts'
import { names } from './names.ts'

const moves = repeats({ default: 50, long: 100 })
const kept = 2

/** One image in five is broken, and one in twenty hangs until its deadline. */
function fateOf(number: number): Fate {
  return number < 0.05 ? 'hung' : number < 0.25 ? 'broken' : 'good'
}

/** The DataSource names a complete image that is not on its way out, or none yet. */
async function check(client: Client, { fates: known }: Pick<ImageWorld, 'fates'>, when: string): Promise<void> {
  const selected = await selectedImage(client)
  if (selected === undefined) return
  const { name, claim, dataVolume } = selected
  const annotations = { ...dataVolume?.metadata.annotations, ...claim?.metadata.annotations }
  assert.ok(claim !== undefined, `${when}, the DataSource names ${name}, which is not there`)
  assert.ok(!isBeingDeleted(claim), `${when}, the DataSource names ${name}, which is being deleted`)
  assert.equal(annotations[names.podPhase], 'Succeeded', `${when}, the DataSource names ${name}, which is not complete`)
  assert.equal(known.get(annotations[names.importedDigest] ?? ''), 'good', `${when}, the DataSource names ${name}, which is broken`)
}

/** Looks at what the DataSource names after each write of a client. */
function checked(client: Client, world: Pick<ImageWorld, 'fates'>, onWrong: (error: unknown) => void): Client {
  const after = async <T>(written: Promise<T>, what: string): Promise<T> => {
    const result = await written
    await check(client, world, `after ${what}`).catch(onWrong)
    return result
  }
  return {
    ...client,
    create: (resource, object, options) =>
      after(client.create<never, never>(resource as never, object as never, options), `create ${resource.plural}`),
    patch: (resource, key, patch, options) => after(client.patch(resource, key, patch, options), `patch ${resource.plural} ${key.name}`),
    delete: (resource, key, options) => after(client.delete(resource, key, options), `delete ${resource.plural} ${key.name}`),
  }
}

/** Controllers write to the DataImportCron, too. */
async function lookAgain(client: Client): Promise<void> {
  await look(client).catch((error: unknown) => {
    if (!isConflict(error) && !isNotFound(error)) throw error
  })
}

/** An answer that was on its way when the tag moved is that of before: the next look finds it. */
async function isSelected(client: Client, name: string): Promise<boolean> {
  if ((await selectedImage(client))?.name === name) return true
  await lookAgain(client)
  await systemClock.sleep(100)
  return false
}

async function simulate(from: number): Promise<{ readonly deaths: number; readonly selected: number }> {
  const random = createSeededRandom(from)
  await using cluster = await startImportCluster()
  const { client } = cluster
  await using world = startImageWorld(cluster, () => random.below(40))
  world.move()
  await client.create(dataImportCrons, cronOf({ importsToKeep: kept }, { [names.importDeadline]: '1s' }))
  const wrong: unknown[] = []
  const isOver = new AbortController()
  const selected = new Set<string>()
  let deaths = 0

  const lives = (async () => {
    while (!isOver.signal.aborted) {
      let isDead = false
      const moments: readonly [CrashPoint['moment'], CrashPoint['moment']] = ['before', 'after']
      const death: CrashPoint = { write: 1 + random.below(40), moment: random.pick(moments) }
      const stop = cluster.start('virt-controller', (own) =>
        crashingClient(
          checked(own, world, (error) => wrong.push(error)),
          death,
          () => (isDead = true),
        ),
      )
      await until(() => isDead || isOver.signal.aborted, 120_000)
      await stop()
      if (isDead) deaths++
    }
  })()

  for (let move = 1; move < moves && wrong.length === 0; move++) {
    const wanted = importName('fedora', world.digest())
    // Some tags move before they are imported, at any moment, and others only then.
    const isAwaited = world.fates.get(world.digest()) === 'good' && random.chance(0.5)
    if (isAwaited) await until(() => isSelected(client, wanted), 60_000)
    else await systemClock.sleep(random.below(80))
    selected.add((await selectedImage(client))?.name ?? '')
    world.move(move === moves - 1 ? 'good' : fateOf(random.number()))
    await lookAgain(client)
  }
  isOver.abort()
  await lives
  assert.equal(wrong.length, 0, String(wrong[0]))

  const stop = cluster.start('virt-controller', (own) => checked(own, world, (error) => wrong.push(error)))
  const last = importName('fedora', world.digest())
  await until(() => isSelected(client, last), 60_000)
  await until(async () => findCondition((await client.get(dataImportCrons, cronKey)).status?.conditions, 'UpToDate')?.status === 'True')
  await until(async () => (await importNames(client)).length <= kept)
  await stop()
  assert.equal(wrong.length, 0, String(wrong[0]))
  await check(client, world, 'in the end')
  return { deaths, selected: selected.size }
}

suite('A tag that moves while controllers are killed at random writes', () => {
  for (const from of Array.from({ length: repeats({ default: 1, long: 20 }) }, (_, index) => seed + index))
    test(`leaves the DataSource at a complete image at every moment, seed ${from}`, async (t) => {
      const { deaths, selected } = await simulate(from)
      t.diagnostic(`${deaths} deaths, ${selected} images`)
      // Otherwise nothing was tested.
      assert.ok(deaths >= 5 && selected >= 5, `${deaths} deaths, ${selected} images`)
    })
})
