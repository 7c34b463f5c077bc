import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { nodes } from '#api/core/v1/resources.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { hyperConvergedKey, publishedGates, type PublishedGate } from '#features/hyperconverged/index.ts'
import * as clean from '#features/upgrade-check/clean-cluster.fixture.ts'
import { eventually, repository } from '../../support/machine.ts'
import type { UpgradeLab } from '../../support/upgrade-lab.ts'
import type { BadCluster } from './bad-cluster.ts'

/** Installs the kinds, and the object as its operator has left it. */
async function install(lab: UpgradeLab): Promise<void> {
  const text = readFileSync(join(repository, 'manifests', 'hyperconverged-crds.generated.json'), 'utf8')
  for (const definition of JSON.parse(text) as CustomResourceDefinition[])
    // Without the operator, nothing converts.
    await lab.client.create(customResourceDefinitions, definition)
  const gateDefaults = publishedGates
    .filter(({ phase }) => phase !== 'discontinued')
    .map(({ name, phase }) => ({ name, state: phase === 'beta' ? 'Enabled' : 'Disabled' }))
  const status = { versions: [{ name: 'operator', version: clean.from }], steadyvm: { gateDefaults } }
  const object: HyperConverged = { metadata: { ...hyperConvergedKey }, spec: {}, status }
  await eventually(
    () =>
      lab.client.list(componentOverrides).then(
        () => true,
        () => false,
      ),
    () => 'overrides are not served',
  )
  await lab.create(hyperConvergeds, object)
}

/** Publishes a release whose gate differs from that of today. */
const releaseWith = (version: string, name: string, change: Partial<PublishedGate>) => (lab: UpgradeLab) => {
  const hyperConvergedGates = publishedGates.map((gate) => (gate.name === name ? { ...gate, ...change } : gate))
  lab.release(version, { facts: { hyperConvergedGates } })
}

const overrideWith =
  (spec: Partial<ComponentOverride['spec']>) =>
  async (lab: UpgradeLab): Promise<void> => {
    const patch = [{ op: 'replace', path: '/spec/configuration/migrations/progressTimeout', value: 600 }]
    await lab.create(componentOverrides, {
      metadata: { name: 'slow-storage' },
      spec: { component: 'kubevirt', patch, owner: 'storage team', reason: 'the old array stalls', ...spec },
    })
  }

/** Gates of HyperConverged that another release changes, and overrides that do not fit it. */
export const badPlatforms: readonly BadCluster[] = [
  {
    id: 'GateWaitsForConsent',
    name: 'a gate that affects guests and is promoted',
    to: 'v0.2.11',
    seed: async (lab) => {
      await install(lab)
      releaseWith('v0.2.11', 'alignCPUs', { phase: 'beta' })(lab)
    },
  },
  {
    id: 'GateDefaultFlips',
    name: 'a gate that affects no guests and is promoted',
    to: 'v0.2.12',
    seed: async (lab) => releaseWith('v0.2.12', 'objectGraph', { phase: 'beta' })(lab),
  },
  {
    id: 'GateEnds',
    name: 'a gate that is on and ends',
    to: 'v0.2.13',
    seed: async (lab) => releaseWith('v0.2.13', 'template', { phase: 'discontinued' })(lab),
  },
  {
    id: 'GateAlwaysOn',
    name: 'a gate that is off and becomes unconditional',
    to: 'v0.2.14',
    seed: async (lab) => releaseWith('v0.2.14', 'downwardMetrics', { phase: 'GA' })(lab),
  },
  {
    id: 'OverrideDoesNotApply',
    name: 'an override of what is not rendered',
    seed: overrideWith({ patch: [{ op: 'remove', path: '/spec/configuration/former' }] }),
  },
  { id: 'OverrideHasNoTarget', name: 'an override of a component that nothing asks for', seed: overrideWith({ component: 'aaq' }) },
  {
    id: 'OverrideRefused',
    name: 'an override with a value that the schema refuses',
    seed: overrideWith({ patch: [{ op: 'replace', path: '/spec/configuration/migrations/progressTimeout', value: 'long' }] }),
  },
  {
    id: 'OverrideExpires',
    name: 'an override that ends during the upgrade',
    seed: async (lab) => {
      // No time passes in the lab after the creation of its nodes.
      const { metadata } = await lab.client.get(nodes, { name: 'n1' })
      const soon = new Date(Date.parse(metadata.creationTimestamp ?? '') + 20_000)
      await overrideWith({ expiresAt: soon.toISOString().replace(/\.\d+Z$/, 'Z') })(lab)
    },
  },
]
