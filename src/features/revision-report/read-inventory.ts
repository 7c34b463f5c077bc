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

/** What is read of a cluster. */
export interface ReadOptions {
  /** Absent: all namespaces. */
  readonly namespace?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (objects: number) => void
}

/** Objects of a page: few enough for the server to answer at once, enough for few requests. */
const pageSize = 1_000

/**
 * Reads all that a report is made of, and the configuration. Only lists. @throws StatusError when
 * revisions or VMs may not be read
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

/**
 * `may`: a cluster need not serve it. `should`: it always does. `must`: without it there is nothing to report.
 */
type Need = 'may' | 'should' | 'must'

async function* pagesOf<T extends KubeObject>(
  client: Pick<Client, 'list'>,
  resource: ResourceType<T>,
  { namespace, signal }: ReadOptions,
): AsyncGenerator<readonly T[]> {
  // The configuration lies in a namespace of its own.
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
 * What is missing without one kind of object; empty when nothing is. Undefined when nothing can be
 * said at all.
 */
function gapOf(resource: ResourceType<unknown>, need: Need, error: unknown): string | undefined {
  if (!(error instanceof StatusError) || need === 'must') return undefined
  if (error.reason === 'Forbidden') return `${groupResourceOf(resource)} may not be read`
  return error.reason === 'NotFound' && need === 'may' ? '' : undefined
}
