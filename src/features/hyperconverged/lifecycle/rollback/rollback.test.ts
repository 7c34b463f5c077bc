import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { configMaps } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { internalError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { crashingClient, type CrashPoint } from '#features/crashing-client.fixture.ts'
import { sample } from '#test/effort.ts'
import { consentAnnotation, consentPending } from '../../configuration/gates/consent.ts'
import { hyperConvergedKey, lastAppliedName } from '../../names.ts'
import { startPlatform, stateIn, type Platform } from '../../reconcile/platform.fixture.ts'
import { valueAt } from '../../value-at.ts'
import { onFailureAnnotation } from './on-failure.ts'

const { namespace } = hyperConvergedKey
const cdiSchema = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    config: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { scratchSpaceStorageClass: { type: 'string', maxLength: 4 } },
    },
  },
}
/** An edit that KubeVirt takes, and CDI does only if the class is short. */
const edit = (progressTimeout: number, scratchSpaceStorageClass: string): object => ({
  virtualization: { liveMigrationConfig: { progressTimeout } },
  storage: { scratchSpaceStorageClass },
})

suite('rollback of an edit that a component refuses', () => {
  let platform: Platform
  let cdis: ResourceType<KubeObject>
  const begin = async (): Promise<void> => {
    platform = await startPlatform()
    cdis = await platform.install('cdi', cdiSchema)
  }
  beforeEach(begin)
  afterEach(() => platform[Symbol.asyncDispose]())

  const ask = (value: string | null): Promise<unknown> =>
    platform.client.patch(hyperConvergeds, hyperConvergedKey, {
      type: 'merge',
      body: { metadata: { annotations: { [onFailureAnnotation]: value } } },
    })
  /** What the components have. */
  const applied = async (): Promise<string> => {
    const [kubevirt, cdi] = await Promise.all([
      found(platform.client.get(kubeVirts, { namespace, name: 'kubevirt-kubevirt-hyperconverged' })),
      found(platform.client.get(cdis, { namespace, name: 'cdi-kubevirt-hyperconverged' })),
    ])
    const timeout = kubevirt?.spec.configuration?.migrations?.progressTimeout
    const scratch = valueAt(cdi, ['spec', 'config', 'scratchSpaceStorageClass'])
    return `${timeout} ${String(scratch)}`
  }
  const complete = async (): Promise<string> => {
    const { status, reason, message } = findCondition((await platform.hyperconverged()).status?.conditions, 'ReconcileComplete') ?? {}
    return `${status} ${reason} ${message}`
  }
  const isStored = async (): Promise<boolean> =>
    (await found(platform.client.get(configMaps, { namespace, name: lastAppliedName }))) !== undefined
  const becomes = (wanted: string, condition: RegExp): Promise<unknown> =>
    platform.until(async () => (await applied()) === wanted && condition.test(await complete()))
  const dying = async (point: CrashPoint): Promise<void> => {
    let die = (): void => {}
    const dead = new Promise<void>((resolve) => (die = resolve))
    const stop = platform.start((client) => crashingClient(client, point, die))
    await Promise.race([dead, platform.settled()])
    await stop()
  }

  test('the components go back, the spec stays, and a later edit is tried afresh', async () => {
    await ask('RollBack')
    await platform.edit(edit(10, 'a'))
    platform.start()
    await becomes('10 a', /^True/)
    await platform.until(isStored)
    await platform.edit(edit(20, 'too long'))
    await becomes('10 a', /^False RolledBack cdi refuses generation \d+: .*scratchSpaceStorageClass.*; generation \d+ is in effect/)
    const { spec, status, metadata } = await platform.hyperconverged()
    assert.equal(spec?.storage?.scratchSpaceStorageClass, 'too long')
    const { configuration } = status?.steadyvm ?? {}
    assert.deepEqual(
      [
        configuration?.rolledBack?.generation,
        configuration?.rolledBack?.component,
        (configuration?.generation ?? 0) < (metadata.generation ?? 0),
      ],
      [metadata.generation, 'cdi', true],
    )
    assert.equal(platform.events.filter((event) => event.startsWith('RollBack:')).length, 1)
    assert.ok(['kubevirt', 'cdi'].every((name) => stateIn({ metadata, spec, status } as never, name)?.state !== 'Failed'))
    await platform.settled()
    const before = platform.writes.length
    // Neither notes nor a restart are a reason to try it again.
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { metadata: { annotations: { note: 'x' } } } })
    platform.start()
    await platform.settled()
    assert.deepEqual(platform.writes.slice(before), [])
    await platform.edit(edit(30, 'b'))
    await becomes('30 b', /^True/)
    assert.equal((await platform.hyperconverged()).status?.steadyvm?.configuration?.rolledBack, undefined)
    await platform.edit(edit(40, 'too long'))
    await becomes('30 b', /^False RolledBack/)
    // Without the annotation, what can be applied is.
    await ask(null)
    await becomes('40 b', /^False ComponentsFailed/)
  })

  test('nothing is stored or rolled back unless it is asked for, nor for a component that cannot answer', async () => {
    let isBroken = false
    platform.start((inner) => ({
      ...inner,
      patch: (resource, key, patch, options) =>
        isBroken && resource.plural === 'cdis'
          ? Promise.reject(internalError('no cdis today'))
          : inner.patch(resource, key, patch, options),
    }))
    await platform.edit(edit(10, 'a'))
    await becomes('10 a', /^True/)
    await platform.edit(edit(20, 'too long'))
    await becomes('20 a', /^False ComponentsFailed/)
    await platform.edit(edit(30, 'c'))
    await becomes('30 c', /^True/)
    assert.equal(await isStored(), false)
    await ask('RollBack')
    await platform.until(isStored)
    isBroken = true
    await platform.edit(edit(40, 'd'))
    await becomes('40 c', /^False ComponentsFailed cdi: .*no cdis today/)
    isBroken = false
    await becomes('40 d', /^True/)
  })

  test('without a stored configuration, or with an old one, the condition says why there is no rollback', async () => {
    platform.start()
    await platform.edit(edit(10, 'a'))
    await becomes('10 a', /^True/)
    await ask('RollBack')
    await platform.until(isStored)
    // Without the annotation, nothing is stored: what was stored gets old.
    await ask(null)
    await platform.edit(edit(20, 'b'))
    await becomes('20 b', /^True/)
    await platform.settled()
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, {
      type: 'merge',
      body: { metadata: { annotations: { [onFailureAnnotation]: 'RollBack' } }, spec: edit(30, 'too long') },
    })
    await becomes('30 b', /^False ComponentsFailed .*no rollback: the last configuration .* is not stored/)
  })

  test('a configuration that others have changed is not used', async () => {
    await ask('RollBack')
    await platform.edit(edit(10, 'a'))
    platform.start()
    await platform.until(isStored)
    await platform.settled()
    const { data } = await platform.client.get(configMaps, { namespace, name: lastAppliedName })
    const text = (data?.['configuration'] ?? '').replace('"progressTimeout":10', '"progressTimeout":99')
    assert.notEqual(text, data?.['configuration'])
    await platform.client.patch(
      configMaps,
      { namespace, name: lastAppliedName },
      { type: 'merge', body: { data: { configuration: text } } },
    )
    await platform.edit(edit(20, 'too long'))
    await becomes('20 a', /^False ComponentsFailed .*no rollback/)
  })

  test('an edit that is rolled back consents to no default of a gate', async () => {
    const gateDefaults = [
      { name: 'declarativeHotplugVolumes', state: 'Enabled' },
      { name: 'alignCPUs', state: 'Enabled' },
    ]
    const versions = [{ name: 'operator', version: 'v1.0.0' }]
    const status = { versions, steadyvm: { gateDefaults } }
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, { type: 'merge', body: { status } }, { subresource: 'status' })
    await ask('RollBack')
    await platform.edit(edit(10, 'a'))
    platform.start()
    await platform.until(isStored)
    await platform.settled()
    const annotations = { [consentAnnotation]: 'v1.2.3' }
    await platform.client.patch(hyperConvergeds, hyperConvergedKey, {
      type: 'merge',
      body: { metadata: { annotations }, spec: edit(20, 'too long') },
    })
    await becomes('10 a', /^False RolledBack/)
    await platform.settled()
    const { status: now } = await platform.hyperconverged()
    assert.match(findCondition(now?.conditions, consentPending)?.message ?? '', /^alignCPUs stays Enabled/)
    const { spec } = await platform.client.get(kubeVirts, { namespace, name: 'kubevirt-kubevirt-hyperconverged' })
    assert.ok(spec.configuration?.developerConfiguration?.featureGates?.includes('AlignCPUs'))
  })

  test('an operator that is killed at any write stores and goes back all the same', async () => {
    const own = platform
    const moments = ['before', 'after'] as const
    const deaths = [1, 2, 3, 4, 5, 6].flatMap((write) => moments.map((moment) => ({ write, moment })))
    for (const death of sample(deaths, 4)) {
      await begin()
      await using _fresh = platform
      await ask('RollBack')
      await platform.edit(edit(10, 'a'))
      // Finalizer, both components, ConfigMap, status.
      await dying(death)
      let stop = platform.start()
      await becomes('10 a', /^True/)
      await platform.until(isStored)
      await platform.settled()
      await stop()
      await platform.edit(edit(20, 'too long'))
      const { spec } = await platform.hyperconverged()
      // Both components, status, KubeVirt back, status.
      await dying(death)
      stop = platform.start()
      await becomes('10 a', /^False RolledBack/)
      await platform.settled()
      await stop()
      assert.deepEqual((await platform.hyperconverged()).spec, spec, `${death.moment} ${death.write}`)
      await platform.edit(edit(30, 'b'))
      // Both components, ConfigMap, status.
      await dying(death)
      platform.start()
      await becomes('30 b', /^True/)
      await platform.until(async (hco) => hco.status?.steadyvm?.configuration?.rolledBack === undefined && (await isStored()))
    }
    platform = own
  })
})
