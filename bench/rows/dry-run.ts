import { setTimeout as sleep } from 'node:timers/promises'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { editOfAll, type EditOfAll } from '#features/hyperconverged/webhooks/many-components.fixture.ts'
import { startTestApi } from '../../test/support/api-server.ts'
import { percentile, time, type Row } from '../measure.ts'

const COMPONENTS = 20
const ROUNDS = 9
const BUDGET = 1.5
/** Milliseconds that the admission of the component takes: 20, 40 … 400. */
const latencyOf = (index: number): number => 20 * (index + 1)

/**
 * The dry run of an edit that changes 20 components, whose admission takes 20 to 400 ms, next to
 * that of the slowest component alone. API server and client share the process.
 */
export async function dryRunRows(): Promise<Row[]> {
  const resources = Array.from({ length: COMPONENTS }, (_, index): ResourceType<KubeObject> => {
    const plural = `parts${index}`
    return { group: 'bench.steadyvm.io', version: 'v1', kind: `Part${index}`, plural, namespaced: true }
  })
  const latencies = new Map(resources.map(({ plural }, index) => [plural, latencyOf(index)]))
  const slow = {
    name: 'slow',
    validate: async ({ target }: { readonly target: { readonly definition: { readonly plural: string } } }): Promise<void> => {
      await sleep(latencies.get(target.definition.plural) ?? 0)
    },
  }
  await using api = await startTestApi({ admission: [slow] })
  using client = createNodeClient((await loadKubeconfig({ path: api.kubeconfig, env: {} })).http)
  for (const { group, kind, plural, version } of resources)
    await client.create(customResourceDefinitions, {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    })
  for (const resource of resources) await served(() => client.list(resource))

  let edits = 0
  const measure = async (edit: EditOfAll): Promise<number> => {
    const started = performance.now()
    const { errors, warnings } = await edit(`value-${edits++}`)
    if (errors.length + warnings.length > 0) throw new Error([...errors.map(({ message }) => message), ...warnings].join('; '))
    return performance.now() - started
  }
  const [all, alone] = [editOfAll(client, resources), editOfAll(client, resources.slice(-1))]
  // The first round opens connections.
  await Promise.all([measure(all), measure(alone)])
  const [ofAll, ofOne]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    ofOne.push(await measure(alone))
    ofAll.push(await measure(all))
  }
  const [slowest, whole] = [percentile(ofOne, 0.5), percentile(ofAll, 0.5)]
  const sum = resources.reduce((total, _, index) => total + latencyOf(index), 0)
  return [
    {
      what: `dry run of an edit at ${COMPONENTS} components, whose admission takes ${latencyOf(0)} to ${latencyOf(COMPONENTS - 1)} ms`,
      measured: `${(whole / slowest).toFixed(2)} × the slowest one: ${time(whole)}, ${time(slowest)}; one after the other would be ${time(sum)}`,
      budget: `< ${BUDGET} ×`,
      within: whole / slowest < BUDGET,
      peer: 'upstream asks 3 kinds, and at updates alone (not run here)',
    },
  ]
}

const schema = { type: 'object', properties: { spec: { type: 'object', properties: { text: { type: 'string' } } } } } as const

/** A kind is served a moment after its definition is stored. */
async function served(list: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await list()
      return
    } catch (error) {
      if (tries === 100) throw error
      await sleep(20)
    }
  }
}
