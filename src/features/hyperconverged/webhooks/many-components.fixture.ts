import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { Client } from '#client/client.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { ComponentObject, ObservedComponent } from '../reconcile/observe.ts'
import { nodeFactsOf } from '../components/rendering/node-facts.ts'
import { createDryRun, type DryRunResult } from './dry-run.ts'

/** Tries out an edit that changes one field of each component. */
export type EditOfAll = (value: string) => Promise<DryRunResult>

/** Asks components of kinds that the test has defined, by the dry run of the webhooks. */
export function editOfAll(client: Client, resources: readonly ResourceType<ComponentObject>[]): EditOfAll {
  const field = 'storage.vmStateStorageClass'
  const components = resources.map((resource): ObservedComponent => ({
    component: {
      ...resource,
      name: resource.plural,
      versions: [resource.version],
      objectName: 'only',
      part: 'test',
      render: ({ hyperconverged: { spec } }) => ({
        values: [{ path: ['spec', 'text'], value: spec?.storage?.vmStateStorageClass ?? '', source: { kind: 'user', field } }],
        problems: [],
      }),
    },
    resource,
    isKnown: true,
    present: undefined,
  }))
  const objectOf = (value: string): HyperConverged =>
    ({ metadata: { name: 'h', namespace: 'default' }, spec: { storage: { vmStateStorageClass: value } } }) as HyperConverged
  const dryRun = createDryRun({
    client,
    observe: (hyperconverged) => ({
      hyperconverged,
      components,
      importer: undefined,
      input: { hyperconverged, nodes: nodeFactsOf([]), version: 'v1', namespace: 'default', environment: {} },
    }),
    hyperconverged: () => undefined,
    overrides: () => [],
  })
  return (value) => dryRun.hyperconverged(objectOf(value), objectOf(''))
}
