import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { formerVersionRetentionMs } from '#features/operator/index.ts'
import { settingAnnotations, validateKubeVirt, warnOfSettings } from './index.ts'

const of = (configuration: object): KubeVirt => ({ metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: { configuration } })
const fields = (now: object, old?: object): (string | undefined)[] =>
  validateKubeVirt(of(now), old === undefined ? undefined : of(old)).map(({ field }) => field)

suite('validateKubeVirt()', () => {
  const bad = { evictionStrategy: 'Maybe' }

  test('accepts valid settings, and settings without a validation', () => {
    assert.deepEqual(fields({ evictionStrategy: 'LiveMigrate', migrations: { parallelMigrationsPerCluster: 3 } }), [])
  })

  test('refuses each invalid setting with its path', () => {
    assert.deepEqual(fields({ ...bad, cpuRequest: 'much' }), ['spec.configuration.cpuRequest', 'spec.configuration.evictionStrategy'])
  })

  test('accepts a change that keeps an old error, and refuses a new error', () => {
    assert.deepEqual(fields({ ...bad, cpuModel: 'Haswell' }, bad), [])
    assert.deepEqual(fields({ evictionStrategy: 'Perhaps' }, bad), ['spec.configuration.evictionStrategy'])
    assert.deepEqual(fields({ ...bad, cpuRequest: 'much' }, bad), ['spec.configuration.cpuRequest'])
  })

  test('refuses a feature gate that is switched both on and off', () => {
    const developerConfiguration = { featureGates: ['HostDisk', 'SharedRevisions'], disabledFeatureGates: ['HostDisk'] }
    assert.deepEqual(fields({ developerConfiguration }), ['spec.configuration.developerConfiguration.disabledFeatureGates'])
  })

  const strategies: readonly (readonly [object, readonly string[]])[] = [
    [{}, []],
    [{ batchEvictionSize: 1, batchEvictionInterval: '0s' }, []],
    [{ batchEvictionSize: 0 }, ['spec.workloadUpdateStrategy.batchEvictionSize']],
    [{ batchEvictionSize: -3 }, ['spec.workloadUpdateStrategy.batchEvictionSize']],
    [{ batchEvictionInterval: 'abc' }, ['spec.workloadUpdateStrategy.batchEvictionInterval']],
    [{ batchEvictionInterval: '-1m' }, ['spec.workloadUpdateStrategy.batchEvictionInterval']],
  ]
  for (const [workloadUpdateStrategy, wanted] of strategies) {
    test(`${wanted.length === 0 ? 'accepts' : 'refuses'} the workload update strategy ${JSON.stringify(workloadUpdateStrategy)}`, () => {
      const { metadata } = of({})
      assert.deepEqual(
        validateKubeVirt({ metadata, spec: { workloadUpdateStrategy } }, undefined).map(({ field }) => field),
        wanted,
      )
    })
  }

  const texts: readonly (readonly [keyof typeof settingAnnotations, string, boolean])[] = [
    ['keepFormerVersion', '1h30m', true],
    ['keepFormerVersion', '0', true],
    ['keepFormerVersion', 'banana', false],
    ['keepFormerVersion', '-1m', false],
    ['rolloutSoak', '2s', true],
    ['rolloutSoak', 'soon', false],
    ['rolloutDeadline', '1m30s', true],
    ['rolloutDeadline', '-5s', false],
    ['updatePaused', 'true', true],
    ['updatePaused', 'false', true],
    ['updatePaused', '', true],
    ['updatePaused', 'maybe', false],
    ['updateWindows', 'Mon-Fri 22:00-04:00; Sun 00:00-24:00', true],
    ['updateWindows', '', true],
    ['updateWindows', 'Foo 99:00-zz', false],
    ['updateResumedAt', '2026-01-31T12:00:00Z', true],
    ['updateResumedAt', 'yesterday', false],
  ]
  for (const [key, text, isFine] of texts) {
    const name = settingAnnotations[key]
    test(`${isFine ? 'accepts' : 'refuses'} ${name}=${text}`, () => {
      const { metadata, spec } = of({})
      const causes = validateKubeVirt({ metadata: { ...metadata, annotations: { [name]: text } }, spec }, undefined)
      assert.deepEqual(
        causes.map(({ field }) => field),
        isFine ? [] : [`metadata.annotations[${name}]`],
      )
    })
  }

  test('includes the annotation that the operator reads', () => {
    const { metadata, spec } = of({})
    assert.equal(
      formerVersionRetentionMs({ metadata: { ...metadata, annotations: { [settingAnnotations.keepFormerVersion]: '2s' } }, spec }, 0),
      2_000,
    )
  })
})

suite('warnOfSettings()', () => {
  test('does not warn about settings with an effect, or disabled ones', () => {
    const developerConfiguration = { featureGates: ['HostDisk'], useEmulation: false }
    assert.deepEqual(warnOfSettings(of({ cpuModel: 'Haswell', developerConfiguration }), undefined), [])
  })

  test('warns about settings without effect, and unknown feature gates', () => {
    const smbios = { family: 'x' }
    const developerConfiguration = { featureGates: ['Bogus'], disabledFeatureGates: ['Bogey'] }
    const warnings = warnOfSettings(of({ smbios, developerConfiguration }), undefined)
    assert.deepEqual(
      ['spec.configuration.smbios', '"Bogus"', '"Bogey"'].filter((part) => warnings.some((text) => text.includes(part))).length,
      3,
    )
    assert.equal(warnings.length, 3)
  })

  test('does not repeat at an update what was there before', () => {
    const before = of({ smbios: { family: 'x' }, developerConfiguration: { featureGates: ['Bogus'] } })
    assert.deepEqual(warnOfSettings(before, before), [])
    const after = of({ smbios: { family: 'y' }, developerConfiguration: { featureGates: ['Bogus', 'Bogey', 'Bogart'] } })
    const list = 'spec.configuration.developerConfiguration.featureGates'
    assert.deepEqual(warnOfSettings(after, before), [
      'spec.configuration.smbios is kept, but nothing acts on it yet',
      `${list} names feature gates without effect here: "Bogey", "Bogart"`,
    ])
  })
})
