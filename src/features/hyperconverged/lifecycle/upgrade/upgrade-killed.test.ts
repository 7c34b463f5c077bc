import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { serviceAccounts } from '#api/core/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { isConflict } from '#apimachinery/errors.ts'
import { found } from '#client/found.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { createSeededRandom, type SeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { repeats, seed } from '#test/effort.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform, type Platform, type TestRelease } from '../../reconcile/platform.fixture.ts'
import { patchesAnnotation } from './journal.ts'

const { namespace } = hyperConvergedKey
const schedules = repeats({ default: 4, long: 200 })
const tolerations = '/spec/deployment/nodePlacements/infra/tolerations'

/** Applied twice, it would be there twice. */
const append = (key: string, semverRange: string): object => ({
  id: key,
  semverRange,
  jsonPatch: [{ op: 'add', path: `${tolerations}/-`, value: { key, operator: 'Exists' } }],
  jsonPatchApplyOptions: { ensurePathExistsOnAdd: true },
})
const raise = {
  id: 'raise',
  semverRange: '<0.2.0',
  jsonPatch: [
    { op: 'test', path: '/spec/virtualization/liveMigrationConfig/progressTimeout', value: 150 },
    { op: 'replace', path: '/spec/virtualization/liveMigrationConfig/progressTimeout', value: 200 },
  ],
}
const removal = (name: string): object => ({
  semverRange: '<0.3.0',
  groupVersionKind: { group: '', version: 'v1', kind: 'ServiceAccount' },
  objectKey: { name, namespace: '$(NAMESPACE)' },
})
const [passt, iommufd] = ['passt-binding-cni', 'iommufd-device-plugin']
const second: TestRelease & { readonly version: string } = {
  version: 'v0.2.0',
  releases: [{ version: 'v0.1.0' }],
  patches: [raise, append('appended', '<0.2.0')],
  removals: [removal(passt)],
}
const third: typeof second = {
  version: 'v0.3.0',
  releases: [{ version: 'v0.1.0' }, { version: 'v0.2.0', upgradePatches: ['raise', 'appended'] }],
  patches: [raise, append('appended', '<0.2.0'), append('later', '<0.3.0')],
  removals: [removal(passt), removal(iommufd)],
}

/** A failed schedule. The message names the seed that reproduces it. */
class ScheduleFailure extends Error {
  override readonly name = 'ScheduleFailure'
}

const timeoutOf = ({ spec }: HyperConverged): unknown => spec?.virtualization?.liveMigrationConfig?.progressTimeout
const keysOf = ({ spec }: HyperConverged): readonly string[] =>
  (spec?.deployment?.nodePlacements?.infra?.tolerations ?? []).map(({ key = '' }) => key)

/** Edits by a user while the operators come and go. */
class User {
  readonly #platform: Platform
  /** What was written, as the API server has confirmed it. */
  readonly written: string[] = []
  hasReset = false
  #count = 0

  constructor(platform: Platform) {
    this.#platform = platform
  }

  async edit(random: SeededRandom): Promise<void> {
    const { client } = this.#platform
    const read = await this.#platform.hyperconverged()
    const key = `user-${++this.#count}`
    // The value of before the patch looks like the old default, and is the user's decision.
    const resets = timeoutOf(read) === 200 && !this.hasReset && random.below(3) === 0
    const list = [...(read.spec?.deployment?.nodePlacements?.infra?.tolerations ?? []), { key, operator: 'Exists' }]
    const spec = {
      deployment: { nodePlacements: { infra: { tolerations: list } } },
      ...(resets ? { virtualization: { liveMigrationConfig: { progressTimeout: 150 } } } : {}),
    }
    const metadata = { resourceVersion: read.metadata.resourceVersion, annotations: { [key]: 'yes' } }
    try {
      await client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { metadata, spec } })
      this.written.push(key)
      this.hasReset ||= resets
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
}

/** Acts on the KubeVirt object as its operator does: not at once. */
async function actAsKubeVirt({ client }: Platform): Promise<void> {
  for (const { metadata, status } of (await client.list(kubeVirts)).items) {
    const { generation = 0, name = '' } = metadata
    const isBehind = status?.observedGeneration !== generation
    const isProgressing = findCondition(status?.conditions as never, 'Progressing')?.status === 'True'
    if (!isBehind && !isProgressing) continue
    const conditions = [
      { type: 'Available', status: 'True' },
      { type: 'Progressing', status: isBehind ? 'True' : 'False' },
      { type: 'Degraded', status: 'False' },
    ]
    const versions = { observedKubeVirtVersion: 'v1', targetKubeVirtVersion: 'v1' }
    const body = { status: { conditions, observedGeneration: generation, ...versions } }
    await found(client.patch(kubeVirts, { namespace, name }, { type: 'merge', body }, { subresource: 'status' }))
  }
}

async function runSchedule(number: number): Promise<{ readonly kills: number; readonly edits: number }> {
  await using platform = await startPlatform()
  const { client } = platform
  const random = createSeededRandom(number)
  for (const name of [passt, iommufd]) await client.create(serviceAccounts, { metadata: { namespace, name } })
  const conditions = [{ type: 'Available', status: 'True', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }]
  const body = { status: { conditions, versions: [{ name: 'operator', version: 'v0.1.0' }] } }
  await client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body }, { subresource: 'status' })

  const user = new User(platform)
  const [edits, reports] = [new AbortController(), new AbortController()]
  const repeat = async (act: () => Promise<void>, { signal }: AbortController): Promise<void> => {
    for (; !signal.aborted; await sleep(5 + random.below(30))) await act()
  }
  const editing = repeat(() => user.edit(random), edits)
  const reporting = repeat(() => actAsKubeVirt(platform), reports)
  const isAt = (version: string): Promise<boolean> =>
    platform.hyperconverged().then(({ status, metadata }) => {
      return status?.versions?.[0]?.version === version && metadata.annotations?.[patchesAnnotation] === undefined
    })
  let kills = 0
  const upgradeTo = async (release: typeof second, mostKills: number): Promise<void> => {
    for (let kill = 0; kill < mostKills && !(await isAt(release.version)); kill++) {
      let isDead = false
      const point = { write: 1 + random.below(4), moment: random.below(2) === 0 ? ('before' as const) : ('after' as const) }
      const stop = platform.start((inner) => crashingClient(inner, point, () => (isDead = true)), release)
      await platform.until(async () => isDead || (await isAt(release.version)))
      await stop()
      kills += isDead ? 1 : 0
    }
  }
  // The second release may be given up for the third before it is done.
  await upgradeTo(second, 1 + random.below(12))
  await upgradeTo(third, 6)
  const stop = platform.start(undefined, third)
  await platform.until(() => isAt(third.version))
  edits.abort()
  await editing
  const end = await platform.until(
    ({ status, metadata }) =>
      status?.observedGeneration === metadata.generation && findCondition(status?.conditions, 'Upgradeable')?.status === 'True',
  )
  reports.abort()
  await reporting
  await stop()

  assert.deepEqual(keysOf(end).toSorted(), [...user.written, 'appended', 'later'].toSorted(), 'each once, and nothing is lost')
  assert.ok(user.written.every((key) => end.metadata.annotations?.[key] === 'yes'))
  assert.equal(timeoutOf(end), user.hasReset ? 150 : 200)
  const { stage, to, patches = [], removed = [] } = end.status?.steadyvm?.upgrade ?? {}
  assert.deepEqual([stage, to], ['Complete', 'v0.3.0'])
  assert.deepEqual(patches.map(({ id, result }) => `${id} ${result}`).toSorted(), ['appended Applied', 'later Applied', 'raise Applied'])
  assert.equal(new Set(removed.map(({ name }) => name)).size, removed.length)
  assert.deepEqual((await client.list(serviceAccounts, { namespace })).items, [])
  assert.equal(findCondition(end.status?.conditions, 'Progressing')?.status, 'False')
  return { kills, edits: user.written.length }
}

test(
  `an operator that is killed at any write applies each patch once, and loses no edit: ${schedules} schedules from seed ${seed}`,
  { timeout: 60_000 + schedules * 20_000 },
  async (context) => {
    let [kills, edits] = [0, 0]
    for (let number = seed; number < seed + schedules; number++) {
      try {
        const counts = await runSchedule(number)
        kills += counts.kills
        edits += counts.edits
      } catch (cause) {
        throw new ScheduleFailure(`STEADYVM_SEED=${number}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
      }
    }
    context.diagnostic(`${kills} kills and ${edits} edits`)
    assert.ok(kills >= schedules)
  },
)
