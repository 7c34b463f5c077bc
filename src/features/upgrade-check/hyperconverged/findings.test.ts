import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { renderPlatform, type PublishedGate } from '#features/hyperconverged/index.ts'
import { check } from '../check.ts'
import { cleanInventory, from, release, to } from '../clean-cluster.fixture.ts'
import type { FindingId } from '../finding.ts'
import type { UpgradeInventory } from '../inventory.ts'
import { preventsUpgrade } from '../report.ts'
import { gapsOfGates } from './gates.ts'
import { renderOverrides } from './render-overrides.ts'

const key = { name: 'kubevirt-hyperconverged', namespace: 'kubevirt' }
const hyperconverged = (spec: object = {}, status: object = {}, annotations: Readonly<Record<string, string>> = {}): HyperConverged =>
  ({ metadata: { ...key, annotations }, spec, status: { versions: [{ name: 'operator', version: from }], ...status } }) as HyperConverged
const gate = (phase: PublishedGate['phase'], more: Partial<PublishedGate> = {}): PublishedGate => ({
  name: 'hotplug',
  phase,
  effect: 'volumes at run time',
  ...more,
})
const guests = { which: 'guests with volumes', fields: ['spec.volumes[].ephemeral'] }

function withGates(now: PublishedGate | undefined, next: PublishedGate | undefined, object = hyperconverged()): UpgradeInventory {
  const table = (one: PublishedGate | undefined): object => ({ hyperConvergedGates: one === undefined ? [] : [one] })
  return { ...cleanInventory(), hyperconvergeds: [object], releases: [release(from, table(now)), release(to, table(next))] }
}

suite('feature gates of HyperConverged before an upgrade', () => {
  const rows: readonly (readonly [string, UpgradeInventory, FindingId | undefined, string, RegExp])[] = [
    ['the same table', withGates(gate('beta'), gate('beta')), undefined, '', /^/],
    ['a promotion without guests', withGates(gate('alpha'), gate('beta')), 'GateDefaultFlips', 'warning', /"hotplug","state":"Disabled"/],
    [
      'a promotion with guests',
      withGates(gate('alpha', { guests }), gate('beta', { guests })),
      'GateWaitsForConsent',
      'warning',
      /"Disabled"/,
    ],
    [
      'a promotion that is decided',
      withGates(
        gate('alpha', { guests }),
        gate('beta', { guests }),
        hyperconverged({ featureGates: [{ name: 'HotPlug', state: 'Disabled' }] }),
      ),
      undefined,
      '',
      /^/,
    ],
    ['a gate that ends', withGates(gate('beta'), gate('discontinued', { replacedBy: 'storage.x' })), 'GateEnds', 'forceable', /"Disabled"/],
    ['a gate that is gone', withGates(gate('beta'), undefined), 'GateEnds', 'forceable', /"Disabled"/],
    ['a gate that is always on', withGates(gate('alpha'), gate('GA')), 'GateAlwaysOn', 'warning', /"Enabled"/],
    [
      'a gate of guests that is always on',
      withGates(gate('alpha', { guests }), gate('GA', { guests })),
      'GateAlwaysOn',
      'forceable',
      /"Enabled"/,
    ],
  ]
  for (const [name, inventory, id, severity, command] of rows)
    test(name, () => {
      const [found, ...more] = check(inventory)
      assert.deepEqual([found?.id, found?.severity ?? '', more], [id, severity, []])
      assert.match(found?.command ?? '', command)
    })

  test('other gates stay in the list, and a repaired finding is gone', () => {
    const others = [{ name: 'objectGraph', state: 'Enabled' }] as const
    const inventory = withGates(gate('beta'), gate('discontinued'), hyperconverged({ featureGates: others }))
    const [found] = check(inventory)
    const patch = JSON.parse(/'(\{.*\})'/.exec(found?.command ?? '')?.[1] ?? '') as { readonly spec: object }
    assert.deepEqual(patch.spec, { featureGates: [...others, { name: 'hotplug', state: 'Disabled' }] })
    assert.deepEqual(check({ ...inventory, hyperconvergeds: [hyperconverged(patch.spec)] }), [])
    assert.equal(preventsUpgrade(found ?? assert.fail(), to, inventory.kubevirt), true)
  })

  test('running guests that a flip affects are named', () => {
    const inventory = withGates(gate('alpha', { guests }), gate('beta', { guests }))
    const [guest] = inventory.guests
    assert.ok(guest)
    assert.match(check(inventory)[0]?.what ?? '', /guests with volumes, of which none runs$/)
    const users = Array.from({ length: 7 }, (_, index): VirtualMachineInstance => ({
      ...guest,
      metadata: { ...guest.metadata, name: `user-${index}` },
      spec: { ...guest.spec, volumes: [{ name: 'v', ephemeral: {} }] } as VirtualMachineInstance['spec'],
    }))
    const [found] = check({ ...inventory, guests: [...users, guest] }).filter(({ id }) => id === 'GateWaitsForConsent')
    assert.match(found?.what ?? '', /of which 7 run: vmi\/default\/user-0, .*user-4 and 2 more$/)
  })

  test('a release that publishes no gates is named, and so is an installed one without a record', () => {
    const unknown = { hyperConvergedGates: undefined }
    const gaps = (object: HyperConverged, now: object, next: object): number =>
      gapsOfGates({ hyperconvergeds: [object], to, releases: [release(from, now), release(to, next)] }).length
    const recorded = hyperconverged({}, { steadyvm: { gateDefaults: [] } })
    assert.deepEqual(
      [
        gaps(recorded, unknown, {}),
        gaps(recorded, unknown, unknown),
        gaps(hyperconverged(), unknown, unknown),
        gaps(hyperconverged(), {}, {}),
      ],
      [0, 1, 2, 0],
    )
    assert.deepEqual(gapsOfGates({ hyperconvergeds: [], to, releases: [release(to, unknown)] }), [])
    const inventory = withGates(gate('alpha'), gate('beta'))
    assert.deepEqual(check({ ...inventory, releases: [release(from), release(to, unknown)] }), [])
  })
})

const manifests = join(import.meta.dirname, '..', '..', '..', '..', 'manifests')
const definitions = JSON.parse(readFileSync(join(manifests, 'crds.generated.json'), 'utf8')) as CustomResourceDefinition[]

/** The CRDs with a change of KubeVirt's schema. */
const changed = (change: (text: string) => string): readonly CustomResourceDefinition[] =>
  definitions.map((one) => (one.metadata.name === 'kubevirts.kubevirt.io' ? (JSON.parse(change(JSON.stringify(one))) as typeof one) : one))
const withoutTimeout = changed((text) => text.replaceAll('"progressTimeout"', '"formerTimeout"'))
const closed = changed((text) =>
  text.replaceAll('"x-kubernetes-preserve-unknown-fields":true', '"x-kubernetes-preserve-unknown-fields":false'),
)

const timeout = '/spec/configuration/migrations/progressTimeout'
const overrideOf = (patch: readonly object[], spec: object = {}, conditions: readonly object[] = []): ComponentOverride =>
  ({
    metadata: { name: 'slow' },
    spec: { component: 'kubevirt', patch, owner: 'a', reason: 'b', ...spec },
    status: { conditions },
  }) as unknown as ComponentOverride

suite('overrides before an upgrade', () => {
  /** Tries overrides on what this checkout renders, as the requested release. */
  const tried = (
    overrides: readonly ComponentOverride[],
    annotations: Readonly<Record<string, string>> = {},
    more: object = {},
  ): UpgradeInventory => {
    const inventory = cleanInventory()
    const object = hyperconverged({}, {}, annotations)
    const { kubevirt, nodes, nowMs } = inventory
    const platform = renderPlatform({ hyperconverged: object, nodes, kubevirt, overrides, now: nowMs }, to)
    return {
      ...inventory,
      hyperconvergeds: [object],
      overrides,
      platform: JSON.parse(JSON.stringify(platform)) as typeof platform,
      nextDefinitions: definitions,
      ...more,
    }
  }
  const soon = new Date(cleanInventory().nowMs + 30_000).toISOString()
  const late = new Date(cleanInventory().nowMs + 86_400_000).toISOString()
  const good = [{ op: 'replace', path: timeout, value: 600 }]
  const failing = [{ type: 'Applied', status: 'False', reason: 'DoesNotApply' }]
  const annotation = 'kubevirt.kubevirt.io/jsonpatch'
  const cdiWithSchema = {
    definitions: [
      {
        metadata: { name: 'cdis.cdi.kubevirt.io' },
        spec: {
          group: 'cdi.kubevirt.io',
          versions: [
            {
              name: 'v1beta1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: {
                      type: 'object',
                      'x-kubernetes-preserve-unknown-fields': true,
                      properties: { priorityClass: { type: 'string', maxLength: 3 } },
                    },
                  },
                },
              },
            },
          ],
        },
      },
    ],
  }
  const rows: readonly (readonly [string, UpgradeInventory, string, RegExp])[] = [
    ['one that applies', tried([overrideOf(good, { expiresAt: late })]), '', /^/],
    [
      'a path that is gone',
      tried([overrideOf([{ op: 'remove', path: '/spec/none' }])]),
      'OverrideDoesNotApply forceable',
      /operation 0 \(remove \/spec\/none\)/,
    ],
    [
      'a test that does not hold',
      tried([overrideOf([{ op: 'test', path: timeout, value: 1 }, ...good])]),
      'OverrideDoesNotApply forceable',
      /operation 0 \(test/,
    ],
    ['one that is not applied today either', tried([overrideOf([{ op: 'remove', path: '/spec/none' }], {}, failing)]), '', /^/],
    ['one that has expired', tried([overrideOf(good, { expiresAt: '2020-01-01T00:00:00Z' })]), '', /^/],
    ['one that expires during the upgrade', tried([overrideOf(good, { expiresAt: soon })]), 'OverrideExpires warning', /ends at/],
    ['a component that nothing asks for', tried([overrideOf(good, { component: 'aaq' })]), 'OverrideHasNoTarget warning', /aaq/],
    [
      'a component that the release does not know',
      tried([overrideOf(good, { component: 'former' })]),
      'OverrideHasNoTarget warning',
      /former/,
    ],
    [
      'a field that the schema has no more',
      tried([overrideOf(good)], {}, { definitions, nextDefinitions: withoutTimeout }),
      'OverrideRefused forceable',
      /spec\.configuration\.migrations\.progressTimeout: there is no such field any more/,
    ],
    [
      'a field that neither schema has',
      tried([overrideOf([{ op: 'add', path: '/spec/configuration/colour', value: 'red' }])], {}, { definitions }),
      '',
      /^/,
    ],
    [
      'a field beside the open part of the schema',
      tried([overrideOf([{ op: 'add', path: '/spec/certificateRotateStrategy/colour', value: 'red' }])], {}, { nextDefinitions: closed }),
      'OverrideRefused forceable',
      /spec\.certificateRotateStrategy\.colour: there is no such field$/,
    ],
    [
      'a value of another type',
      tried([overrideOf([{ op: 'replace', path: timeout, value: 'long' }])]),
      'OverrideRefused forceable',
      /progressTimeout/,
    ],
    [
      'a value that the schema of a foreign component refuses',
      tried([overrideOf([{ op: 'add', path: '/spec/priorityClass', value: 'too long' }], { component: 'cdi' })], {}, cdiWithSchema),
      'OverrideRefused forceable',
      /spec\.priorityClass/,
    ],
    [
      'an annotation',
      tried([], { [annotation]: JSON.stringify([{ op: 'remove', path: '/spec/none' }]) }),
      'OverrideDoesNotApply forceable',
      /annotation kubevirt/,
    ],
    ['a malformed annotation', tried([], { [annotation]: '{' }), 'OverrideDoesNotApply forceable', /not JSON/],
  ]
  for (const [name, inventory, expected, what] of rows)
    test(name, () => {
      const found = check(inventory)
      assert.equal(found.map(({ id, severity }) => `${id} ${severity}`).join(), expected)
      assert.match(found[0]?.what ?? '', what)
      for (const { command } of found)
        assert.match(command, /^kubectl (delete componentoverride\/slow|annotate -n kubevirt hco\/.*jsonpatch-)$/)
    })

  test('the release is asked only if there is an override, and a gap is passed on', async () => {
    let asked = 0
    const render = async (): Promise<{ readonly platform: undefined; readonly gap: string }> => {
      asked++
      return Promise.resolve({ platform: undefined, gap: 'cannot' })
    }
    const { kubevirt, nodes, nowMs } = cleanInventory()
    const lists = { kubevirt, nodes, hyperconvergeds: [hyperconverged()], overrides: [] }
    const options = { to, nowMs, render }
    assert.deepEqual((await renderOverrides(options, lists)).gaps, [])
    assert.equal(asked, 0)
    assert.deepEqual((await renderOverrides(options, { ...lists, overrides: [overrideOf(good)] })).gaps, ['cannot'])
    assert.deepEqual(
      (await renderOverrides(options, { ...lists, hyperconvergeds: [hyperconverged({}, {}, { [annotation]: '[]' })] })).gaps,
      ['cannot'],
    )
    assert.deepEqual((await renderOverrides(options, { ...lists, hyperconvergeds: [], overrides: [overrideOf(good)] })).gaps, [])
  })
})
