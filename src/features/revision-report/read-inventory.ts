import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { virtualMachineRestores, virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import type { RevisionInventory } from './types.ts'

/** Options of {@link readRevisionInventory}. */
export interface ReadOptions {
  /** Namespace to read; all if absent. */
  readonly namespace?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (objects: number) => void
}

/** Objects per page: fast responses with few requests. */
const pageSize = 1_000

/**
 * Lists all objects of a report, and reads the configuration. @throws StatusError when revisions or
 * VMs may not be listed
 */
export async function readRevisionInventory(
  client: Pick<Client, 'list'>,
  options: ReadOptions = {},
): Promise<{ readonly cluster: RevisionInventory; readonly kubevirts: readonly KubeVirt[] }> {
  const gaps: string[] = options.namespace === undefined ? [] : [`only namespace "${options.namespace}" was looked at`]
  let objects = 0
  const read = async <T extends KubeObject>(resource: ResourceType<T>, need: Need): Promise<T[]> => {
    const items: T[] = []
    try {
      for await (const page of pagesOf(client, resource, options)) {
        items.push(...page)
        options.onProgress?.((objects += page.length))
      }
    } catch (error) {
      const gap = gapOf(resource, need, error)
      if (gap === undefined) throw error
      if (gap !== '') gaps.push(gap)
      return []
    }
    return items
  }
  const live = [
    virtualMachineInstancetypes,
    virtualMachineClusterInstancetypes,
    virtualMachinePreferences,
    virtualMachineClusterPreferences,
  ] as readonly ResourceType<KubeObject>[]
  const [revisions, vms, guests, snapshots, contents, restores, definitions, kubevirts, ...kinds] = await Promise.all([
    read(controllerRevisions, 'must'),
    read(virtualMachines, 'must'),
    read(virtualMachineInstances, 'may'),
    read(virtualMachineSnapshots, 'may'),
    read(virtualMachineSnapshotContents, 'may'),
    read(virtualMachineRestores, 'may'),
    read(customResourceDefinitions, 'should'),
    read(kubeVirts, 'may'),
    ...live.map((resource) => read(resource, 'may')),
  ])
  const names = new Set(live.map((resource) => groupResourceOf(resource)))
  return {
    cluster: {
      revisions,
      virtualMachines: vms,
      guests,
      snapshots,
      contents,
      restores,
      live: kinds.flatMap((items, index) => items.map((item) => ({ ...item, kind: live[index]?.kind ?? '' }))),
      definitions: definitions.filter(({ metadata }) => names.has(metadata.name ?? '')),
      gaps: gaps.toSorted(),
    },
    kubevirts,
  }
}

/** `may`: optional API. `should`: always served. `must`: no report without it. */
type Need = 'may' | 'should' | 'must'

async function* pagesOf<T extends KubeObject>(
  client: Pick<Client, 'list'>,
  resource: ResourceType<T>,
  { namespace, signal }: ReadOptions,
): AsyncGenerator<readonly T[]> {
  // The KubeVirt object is in another namespace.
  const isScoped = resource.namespaced && namespace !== undefined && resource.kind !== kubeVirts.kind
  let next = ''
  do {
    const page = await client.list(resource, {
      limit: pageSize,
      ...(isScoped ? { namespace } : {}),
      ...(next === '' ? {} : { continue: next }),
      ...(signal === undefined ? {} : { signal }),
    })
    yield page.items
    next = page.metadata?.continue ?? ''
  } while (next !== '')
}

/**
 * Returns what the report lacks without a kind; empty if nothing, undefined if there can be no
 * report.
 */
function gapOf(resource: ResourceType<unknown>, need: Need, error: unknown): string | undefined {
  if (!(error instanceof StatusError) || need === 'must') return undefined
  if (error.reason === 'Forbidden') return `${groupResourceOf(resource)} may not be read`
  return error.reason === 'NotFound' && need === 'may' ? '' : undefined
}
