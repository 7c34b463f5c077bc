import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'

/** Optional objects that depend on VMs. Undefined: not served, or not readable. */
export interface RelatedObjects {
  readonly snapshotContents: readonly SnapshotContent[] | undefined
  readonly migrationPolicies: readonly MigrationPolicy[] | undefined
  /** Labels of namespaces by name. */
  readonly namespaceLabels: ReadonlyMap<string, Readonly<Record<string, string>>>
}

/** Content of a snapshot. */
export interface SnapshotContent {
  /** `namespace/name` of the snapshot. */
  readonly snapshot: string
  readonly vm: VirtualMachine
}

/** Migration policy of KubeVirt's `migrations.kubevirt.io`, as far as it is used here. */
export interface MigrationPolicy extends KubeObject {
  readonly spec?: {
    readonly selectors?: {
      readonly namespaceSelector?: Readonly<Record<string, string>>
      readonly virtualMachineInstanceSelector?: Readonly<Record<string, string>>
    }
  }
}

interface StoredContent extends KubeObject {
  readonly spec?: { readonly virtualMachineSnapshotName?: string; readonly source?: { readonly virtualMachine?: VirtualMachine } }
}

const contents: ResourceType<StoredContent> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineSnapshotContent',
  plural: 'virtualmachinesnapshotcontents',
  namespaced: true,
}
const policies: ResourceType<MigrationPolicy> = {
  group: 'migrations.kubevirt.io',
  version: 'v1alpha1',
  kind: 'MigrationPolicy',
  plural: 'migrationpolicies',
  namespaced: false,
}

/**
 * Reads other objects that depend on VMs. Uses lists only; kinds that are missing or unreadable are
 * left out.
 */
export async function readRelatedObjects(client: Pick<Client, 'list'>): Promise<RelatedObjects> {
  const [stored, migrationPolicies, spaces] = await Promise.all([
    ifServed(client, contents),
    ifServed(client, policies),
    ifServed(client, namespaces),
  ])
  return {
    snapshotContents: stored?.flatMap(({ metadata, spec }) => {
      const vm = spec?.source?.virtualMachine
      return vm === undefined
        ? []
        : [{ snapshot: `${metadata?.namespace ?? ''}/${spec?.virtualMachineSnapshotName ?? metadata?.name ?? ''}`, vm }]
    }),
    migrationPolicies,
    namespaceLabels: new Map((spaces ?? []).map(({ metadata }) => [metadata?.name ?? '', metadata?.labels ?? {}])),
  }
}

async function ifServed<T extends KubeObject>(client: Pick<Client, 'list'>, resource: ResourceType<T>): Promise<T[] | undefined> {
  try {
    return (await client.list(resource)).items
  } catch (error) {
    if (error instanceof StatusError && (error.reason === 'NotFound' || error.reason === 'Forbidden')) return undefined
    throw error
  }
}
