import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../reconcile/act.ts'
import { components } from '../../components/rendering/components.ts'
import { componentUpgradesOf } from './component-upgrades.ts'

const conditions = [
  { type: 'Available', status: 'True' },
  { type: 'Progressing', status: 'False' },
  { type: 'Degraded', status: 'False' },
]

function outcomeOf(name: string, status: object | undefined, spec: object = {}): Outcome {
  const component = components.find((one) => one.name === name)
  assert.ok(component)
  const present = status === undefined ? undefined : { metadata: { name: 'x' }, spec, status: { conditions, ...status } }
  const observed = { component, resource: undefined, isKnown: true, present }
  return { decision: { observed, step: status === undefined ? { kind: 'absent' } : { kind: 'keep' }, problems: [], overrides: [] } }
}

test('when a component is upgraded, and what it is waited for', () => {
  const ours = { steadyvm: { revisions: {} } }
  const rows: readonly (readonly [what: string, outcome: Outcome, environment: Record<string, string>, waitsFor: RegExp | undefined])[] = [
    ['the version that upstream expects', outcomeOf('cdi', { observedVersion: '1.60' }), { CDI_VERSION: '1.60' }, undefined],
    [
      'another one',
      outcomeOf('cdi', { observedVersion: '1.59', targetVersion: '1.59' }),
      { CDI_VERSION: '1.60' },
      /^cdi runs 1\.59 and is to run 1\.60$/,
    ],
    [
      'no version yet',
      outcomeOf('network-addons', {}),
      { NETWORK_ADDONS_VERSION: '1' },
      /^network-addons runs no version yet and is to run 1$/,
    ],
    ['what the component wants itself', outcomeOf('ssp', { observedVersion: '2', targetVersion: '2' }), {}, undefined],
    ['… and does not run yet', outcomeOf('ssp', { observedVersion: '1', targetVersion: '2' }), {}, /^ssp runs 1 and is to run 2$/],
    ['a component without versions', outcomeOf('migration', {}), {}, undefined],
    [
      'our own KubeVirt of the version before',
      outcomeOf('kubevirt', { observedKubeVirtVersion: 'v0.1.0', ...ours }),
      {},
      /is to run v0\.2\.0/,
    ],
    ['our own KubeVirt', outcomeOf('kubevirt', { observedKubeVirtVersion: 'v0.2.0', ...ours }), {}, undefined],
    [
      'a KubeVirt that a user keeps at a version',
      outcomeOf('kubevirt', { observedKubeVirtVersion: 'v0.1.0', ...ours }, { imageTag: 'v0.1.0' }),
      {},
      undefined,
    ],
    [
      "KubeVirt's own operator",
      outcomeOf('kubevirt', { observedKubeVirtVersion: 'v1.9.0', targetKubeVirtVersion: 'v1.9.0' }),
      {},
      undefined,
    ],
    [
      'a component that is not ready',
      outcomeOf('aaq', {
        observedVersion: '1',
        conditions: [...conditions.slice(1), { type: 'Available', status: 'False', message: 'no pod' }],
      }),
      {},
      /^aaq no pod$/,
    ],
    ['a kind that is not installed', outcomeOf('file-restore', undefined), {}, undefined],
  ]
  for (const [what, outcome, environment, waitsFor] of rows) {
    const [progress] = componentUpgradesOf([outcome], { own: 'v0.2.0', environment })
    if (waitsFor === undefined) assert.equal(progress?.waitsFor, undefined, what)
    else assert.match(progress?.waitsFor ?? '', waitsFor, what)
    assert.equal(progress?.upgraded ?? true, waitsFor === undefined, what)
  }
})
