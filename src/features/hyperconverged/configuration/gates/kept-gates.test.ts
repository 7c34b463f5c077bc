import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { explainHyperConverged, phraseOf } from '../explain/why.ts'
import { hyperConvergedKey } from '../../names.ts'
import { startPlatform, type Platform } from '../../reconcile/platform.fixture.ts'
import { sample } from '#test/effort.ts'
import { consentAnnotation, consentPending } from './consent.ts'

const { namespace } = hyperConvergedKey
const name = 'kubevirt-kubevirt-hyperconverged'

suite('gates that wait for consent', () => {
  let platform: Platform
  /** Whether each write of KubeVirt has enabled what the new version has by default. */
  let flipped: boolean[]
  beforeEach(async () => {
    platform = await startPlatform()
    flipped = []
  })
  afterEach(() => platform[Symbol.asyncDispose]())

  /** Leaves the status of an operator that had declarativeHotplugVolumes off, and alignCPUs on. */
  const comeFromEarlier = async (): Promise<void> => {
    const gateDefaults = [
      { name: 'decentralizedLiveMigration', state: 'Enabled' },
      { name: 'declarativeHotplugVolumes', state: 'Disabled' },
      { name: 'template', state: 'Disabled' },
      { name: 'alignCPUs', state: 'Enabled' },
    ]
    const status = { versions: [{ name: 'operator', version: 'v1.0.0' }], steadyvm: { gateDefaults } }
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { status } }, { subresource: 'status' })
  }
  const watched = (inner: Client): Client => ({
    ...inner,
    patch: (resource, key, patch, options) => {
      if (resource.plural === 'kubevirts') flipped.push(isEnabled(patch))
      return inner.patch(resource, key, patch, options)
    },
  })
  const isEnabled = (patch: unknown): boolean => gatesIn((patch as { readonly body: unknown }).body).includes('DeclarativeHotplugVolumes')
  const gates = async (): Promise<readonly string[]> => gatesIn(await found(platform.client.get(kubeVirts, { namespace, name })))
  const isKept = async (): Promise<boolean> => {
    const on = await gates()
    return on.includes('HotplugVolumes') && on.includes('AlignCPUs') && on.includes('Template')
  }
  const isNew = async (): Promise<boolean> => {
    const on = await gates()
    return on.includes('DeclarativeHotplugVolumes') && !on.includes('HotplugVolumes') && !on.includes('AlignCPUs')
  }
  const pending = async (): Promise<string | undefined> =>
    findCondition((await platform.hyperconverged()).status?.conditions, consentPending)?.message
  const consent = (version: string | null): Promise<unknown> =>
    platform.client.patch(hyperConvergeds, hyperConvergedKey, {
      type: 'merge',
      body: { metadata: { annotations: { [consentAnnotation]: version } } },
    })
  const dying = async (point: CrashPoint): Promise<void> => {
    let die = (): void => {}
    const dead = new Promise<void>((resolve) => (die = resolve))
    const stop = platform.start((client) => watched(crashingClient(client, point, die)))
    await Promise.race([dead, platform.settled()])
    await stop()
  }

  test('a new object has the defaults of the version', async () => {
    platform.start()
    await platform.until(async (hco) => hco.status?.steadyvm?.gateDefaults !== undefined && (await isNew()))
    assert.equal(await pending(), undefined)
  })

  test('flips that affect guests wait, others do not; each is named with what to do', async () => {
    await comeFromEarlier()
    platform.start()
    await platform.until(async () => (await isKept()) && (await pending()) !== undefined)
    assert.match((await pending()) ?? '', /declarativeHotplugVolumes stays Disabled.*alignCPUs stays Enabled.*=v1\.2\.3/)
    const hyperconverged = await platform.hyperconverged()
    const why = (path: string): readonly string[] =>
      explainHyperConverged({ hyperconverged, nodes: [], kubevirt: undefined, overrides: [], now: 0 }, path).map(({ source }) =>
        phraseOf(source),
      )
    for (const gate of ['declarativeHotplugVolumes', 'alignCPUs'])
      assert.ok(
        why(gate).every((phrase) => phrase.endsWith('kept until consent')),
        gate,
      )
    assert.deepEqual(why('featureGates.downwardMetrics'), ['feature gate downwardMetrics, by the default of its phase'])
    await platform.settled()
    const before = platform.writes.length
    platform.start()
    await platform.settled()
    assert.deepEqual(platform.writes.slice(before), [])
    // A decision about one of them leaves the other.
    await platform.edit({ featureGates: [{ name: 'declarativeHotplugVolumes', state: 'Enabled' }] })
    await platform.until(async () => (await gates()).includes('DeclarativeHotplugVolumes') && !/declarative/.test((await pending()) ?? ''))
    assert.ok((await gates()).includes('AlignCPUs'))
    await consent('v1.2.3')
    await platform.until(async () => (await isNew()) && (await pending()) === undefined)
    await consent(null)
    await platform.settled()
    assert.ok(await isNew())
  })

  test('an operator that is killed at any write flips nothing before the consent, and all after it', async () => {
    const own = platform
    const moments = ['before', 'after'] as const
    const deaths = [1, 2, 3].flatMap((write) => moments.map((moment) => ({ write, moment })))
    for (const death of sample(deaths, 2)) {
      await using fresh = await startPlatform()
      platform = fresh
      flipped = []
      await comeFromEarlier()
      await dying(death)
      const stop = platform.start(watched)
      await platform.until(async () => (await isKept()) && (await pending()) !== undefined)
      await platform.settled()
      await stop()
      assert.ok(!flipped.includes(true), `${death.moment} ${death.write}: ${flipped.join()}`)
      await consent('v1.2.3')
      await dying(death)
      platform.start(watched)
      await platform.until(async () => (await isNew()) && (await pending()) === undefined)
      assert.ok(flipped.includes(true))
    }
    platform = own
  })
})

function gatesIn(object: unknown): readonly string[] {
  const { spec } = (object ?? {}) as {
    readonly spec?: { readonly configuration?: { readonly developerConfiguration?: { readonly featureGates?: string[] } } }
  }
  return spec?.configuration?.developerConfiguration?.featureGates ?? []
}
