import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { valueAt } from '../../value-at.ts'
import { componentChangesOf, kubeVirtAfter, type PlatformVersion } from './component-changes.ts'
import { phraseOf } from './why.ts'

const kubevirt = { metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: {} } as KubeVirt
const facts = { nodes: [], kubevirt, now: 0, installed: new Set(['kubevirt']) }
const platform = (spec: unknown, overrides: readonly ComponentOverride[] = []): PlatformVersion => ({
  hyperconverged: { metadata: { name: 'kubevirt-hyperconverged', namespace: 'kubevirt' }, spec } as HyperConverged,
  overrides,
})
const override = (patch: readonly object[]): ComponentOverride =>
  ({ metadata: { name: 'mine' }, spec: { component: 'kubevirt', patch, owner: 'me', reason: 'a test' } }) as unknown as ComponentOverride
const textOf = (before: PlatformVersion, after: PlatformVersion): readonly string[] =>
  componentChangesOf(before, after, facts).flatMap(({ component, action, fields }) => [
    `${component} ${action}`,
    ...fields.map(({ path, old, new: next, source }) => `${path}: ${JSON.stringify(old)} > ${JSON.stringify(next)} ${phraseOf(source)}`),
  ])
const migrations = 'spec.configuration.migrations'

suite('changes of components', () => {
  test('each edit names the fields of the components that follow it, and no others', () => {
    const rows: readonly (readonly [PlatformVersion, PlatformVersion, readonly string[]])[] = [
      [platform({}), platform({ virtualization: {} }), []],
      [
        platform({ virtualization: { liveMigrationConfig: { network: 'a' } } }),
        platform({ virtualization: { liveMigrationConfig: { progressTimeout: 7 } } }),
        [
          'kubevirt edit',
          `${migrations}.progressTimeout: 150 > 7 spec.virtualization.liveMigrationConfig.progressTimeout`,
          `${migrations}.network: "a" > undefined spec.virtualization.liveMigrationConfig.network`,
        ],
      ],
      [
        platform({}),
        platform({ featureGates: [{ name: 'objectGraph' }] }),
        ['kubevirt edit', 'spec.configuration.developerConfiguration.featureGates[ObjectGraph]: undefined > true feature gate objectGraph'],
      ],
      [
        platform({}),
        platform({}, [override([{ op: 'replace', path: '/spec/configuration/migrations/progressTimeout', value: 9 }])]),
        ['kubevirt edit', `${migrations}.progressTimeout: 150 > 9 ComponentOverride mine of me: a test`],
      ],
    ]
    for (const [before, after, lines] of rows) assert.deepEqual(textOf(before, after).toSorted(), lines.toSorted())
  })

  test('an optional component is created and removed', () => {
    const withQuotas = platform({ deployment: { applicationAwareConfig: { enable: true } } })
    const [created] = componentChangesOf(platform({}), withQuotas, facts)
    assert.deepEqual([created?.component, created?.action, created?.isInstalled], ['aaq', 'create', false])
    assert.deepEqual(
      componentChangesOf(withQuotas, platform({}), facts).map(({ component, action }) => [component, action]),
      [['aaq', 'remove']],
    )
    const all = componentChangesOf({ hyperconverged: undefined, overrides: [] }, platform({}), facts)
    assert.ok(all.length > 3 && all.every(({ action }) => action === 'create'))
  })

  test('the KubeVirt manifest has null where a field goes away', () => {
    const before = platform({ virtualization: { liveMigrationConfig: { network: 'a' } } })
    const manifest = kubeVirtAfter(before, platform({}), facts)
    const after = valueAt(manifest, migrations.split('.')) as { readonly network?: unknown; readonly progressTimeout?: unknown }
    assert.deepEqual([after.network, after.progressTimeout], [null, 150])
    assert.deepEqual(valueAt(manifest, ['metadata', 'name']), 'kubevirt')
  })
})
