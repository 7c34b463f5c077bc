import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { badRequest } from '#apimachinery/errors.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { labelSelectorFromObject, type LabelSelectorObject, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import { persistentStateClaimName } from '#features/vmi/index.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest } from './guest.ts'
import { graphOfVm, graphOfVmi, type GraphFilter, type GraphObjects } from './object-graph.ts'
import { invalidBody, parseOptions } from './parse-body.ts'
import { getMachine } from './virtual-machine-subject.ts'

/** Dependencies of {@link getObjectGraph}. */
export interface ObjectGraphOptions {
  readonly client: Pick<Client, 'get' | 'list'>
  readonly config: () => Pick<ClusterConfig, 'featureGates'>
}

/** Handles `GET virtualmachines/<name>/objectgraph`, and of VMIs. */
export function getObjectGraph({ client, config }: ObjectGraphOptions, of: 'vm' | 'vmi'): AggregatedHandler {
  return async ({ namespace, name, body }) => {
    if (!config().featureGates.includes('ObjectGraph'))
      throw badRequest('ObjectGraph feature gate not enabled: Unable to return object graph.')
    if (of === 'vmi') {
      const vmi = await getGuest(client, namespace, name)
      return { code: 200, body: graphOfVmi(vmi, await readObjects(client, namespace, name), filterOf(body)) }
    }
    const vm = await getMachine(client, namespace, name)
    return { code: 200, body: graphOfVm(vm, await readObjects(client, namespace, name), filterOf(body)) }
  }
}

async function readObjects(client: Pick<Client, 'get' | 'list'>, namespace: string, name: string): Promise<GraphObjects> {
  const launchers = await client.list(pods, { namespace, labelSelector: 'kubevirt.io=virt-launcher' })
  const claim = await found(client.get(persistentVolumeClaims, { namespace, name: persistentStateClaimName(name) }))
  const pod = launchers.items.find((one) => {
    const owner = controllerOf(one)
    return owner?.kind === virtualMachineInstances.kind && owner.name === name
  })
  return { pod, stateClaim: claim?.metadata.name }
}

/** Reads KubeVirt's `ObjectGraphOptions`. @throws StatusError 400 */
function filterOf(body: string): GraphFilter {
  const { includeOptionalNodes, labelSelector } = parseOptions(body)
  try {
    const selector = labelSelectorFromObject((labelSelector ?? {}) as LabelSelectorObject)
    return { includesOptional: includeOptionalNodes !== false, selector }
  } catch (error) {
    if (error instanceof SelectorError) throw invalidBody(error.message)
    throw error
  }
}
