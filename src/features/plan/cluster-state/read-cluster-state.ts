import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { groupResourceOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { plannedResources, ClusterState } from './cluster-state.ts'

/** Scope of the read. */
export interface ReadOptions {
  /** Absent: all namespaces. Cluster-scoped objects are read in any case. */
  readonly namespace?: string
  readonly signal?: AbortSignal
  /** Called for each list that failed and is treated as empty. */
  readonly onGap?: (message: string) => void
  readonly onProgress?: (objects: number) => void
}

/** Objects of a page: few enough for the server to answer at once, enough for few requests. */
const pageSize = 1_000

/**
 * Reads all objects that decide the hardware of VMs. Uses lists only. @throws StatusError when VMs
 * cannot be read
 */
export async function readClusterState(client: Pick<Client, 'list' | 'get'>, options: ReadOptions = {}): Promise<ClusterState> {
  let objects = 0
  const count = (more: number): void => {
    objects += more
    options.onProgress?.(objects)
  }
  const lists = await Promise.all(
    plannedResources.map(async (resource) => [resource, await readAll(client, resource, options, count)] as const),
  )
  return ClusterState.of(lists, client)
}

async function readAll(
  client: Pick<Client, 'list'>,
  resource: ResourceType<KubeObject>,
  options: ReadOptions,
  count: (more: number) => void,
): Promise<KubeObject[]> {
  try {
    return await readPages(client, resource, options, count)
  } catch (error) {
    const why = gapOf(resource, error)
    if (why === undefined) throw error
    options.onGap?.(why)
    return []
  }
}

async function readPages(
  client: Pick<Client, 'list'>,
  resource: ResourceType<KubeObject>,
  { namespace, signal }: ReadOptions,
  count: (more: number) => void,
): Promise<KubeObject[]> {
  // The configuration lies in a namespace of its own.
  const isScoped = resource.namespaced && namespace !== undefined && resource.kind !== kubeVirts.kind
  const items: KubeObject[] = []
  let next: string | undefined
  do {
    const page = await client.list(resource, {
      limit: pageSize,
      ...(isScoped ? { namespace } : {}),
      ...(next === undefined || next === '' ? {} : { continue: next }),
      ...(signal === undefined ? {} : { signal }),
    })
    items.push(...page.items)
    count(page.items.length)
    next = page.metadata?.continue
  } while (next !== undefined && next !== '')
  return items
}

/**
 * Kinds that the cluster does not serve, and a configuration that the user may not read, do not
 * prevent a plan.
 */
function gapOf(resource: ResourceType<unknown>, error: unknown): string | undefined {
  if (!(error instanceof StatusError)) return undefined
  const isConfiguration = resource.kind === kubeVirts.kind
  if (error.reason === 'Forbidden' && isConfiguration) return 'The cluster configuration cannot be read: its defaults are assumed'
  if (error.reason !== 'NotFound' || resource.kind === 'VirtualMachine') return undefined
  return `${groupResourceOf(resource)} are not served by this cluster`
}
