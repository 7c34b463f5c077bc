import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { namespaces, nodes, pods, resourceQuotas } from '#api/core/v1/resources.ts'
import { endpointSlices } from '#api/discovery/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { virtualMachineClusterPreferences, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { migrationPolicies } from '#api/migrations/v1alpha1/resources.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { UpgradeLists } from './inventory.ts'

/** Options of the reads. */
export interface ReadOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (objects: number) => void
}

/** Objects per page: small enough for a prompt answer, large enough for few requests. */
const pageSize = 1_000

/**
 * Reads all lists that the checks need. Forbidden lists become gaps; kinds that are not served are
 * empty.
 */
export async function readLists(
  client: Pick<Client, 'list'>,
  options: ReadOptions = {},
): Promise<{ readonly lists: UpgradeLists; readonly gaps: readonly string[] }> {
  const gaps: string[] = []
  let objects = 0
  const read = async <T extends KubeObject>(resource: ResourceType<T>): Promise<readonly T[]> => {
    try {
      return await readAll(client, resource, options, (count) => options.onProgress?.((objects += count)))
    } catch (error) {
      if (!(error instanceof StatusError) || !['Forbidden', 'NotFound'].includes(error.reason)) throw error
      if (error.reason === 'Forbidden') gaps.push(`${groupResourceOf(resource)} may not be read`)
      return []
    }
  }
  const [clusterWide, namespaced, ...others] = await Promise.all([
    read(virtualMachineClusterPreferences),
    read(virtualMachinePreferences),
    read(kubeVirts),
    read(virtualMachines),
    read(virtualMachineInstances),
    read(migrationPolicies),
    read(customResourceDefinitions),
    read(nodes),
    read(namespaces),
    read(pods),
    read(resourceQuotas),
    read(podDisruptionBudgets),
    read(deployments),
    read(validatingWebhookConfigurations),
    read(mutatingWebhookConfigurations),
    read(endpointSlices),
    read(hyperConvergeds),
    read(componentOverrides),
  ])
  const [kubevirts, vms, guests, policies, definitions, nodeList, namespaceList, podList, quotas, budgets, ...rest] = others
  const [deploymentList, validatingWebhooks, mutatingWebhooks, endpoints, hyperconvergeds, overrides] = rest
  return {
    lists: {
      preferences: [...clusterWide, ...namespaced],
      kubevirts,
      vms,
      guests,
      policies,
      definitions,
      nodes: nodeList,
      namespaces: namespaceList,
      pods: podList,
      quotas,
      budgets,
      deployments: deploymentList,
      validatingWebhooks,
      mutatingWebhooks,
      endpoints,
      hyperconvergeds,
      overrides,
    },
    gaps: gaps.toSorted(),
  }
}

async function readAll<T extends KubeObject>(
  client: Pick<Client, 'list'>,
  resource: ResourceType<T>,
  { signal }: ReadOptions,
  count: (objects: number) => void,
): Promise<T[]> {
  const items: T[] = []
  let next = ''
  do {
    const page = await client.list(resource, {
      limit: pageSize,
      ...(next === '' ? {} : { continue: next }),
      ...(signal === undefined ? {} : { signal }),
    })
    items.push(...page.items)
    count(page.items.length)
    next = page.metadata?.continue ?? ''
  } while (next !== '')
  return items
}
