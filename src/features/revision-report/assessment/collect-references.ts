import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type Family, referencesOf, startRevisionPrefix } from '#features/instancetype/index.ts'
import type { Referrer, RevisionInventory } from '../types.ts'

/** A name that somebody has written down. */
export interface NamedReference {
  readonly family: Family
  /** Name of the instance type or preference that is meant; empty when nobody says. */
  readonly object: string
  readonly by: Referrer
}

/** Who names which revision: by `namespace/name`. */
export type ReferencesByRevision = ReadonlyMap<string, readonly NamedReference[]>

type Sources = Pick<RevisionInventory, 'revisions' | 'virtualMachines' | 'guests' | 'contents' | 'snapshots'>

/**
 * All references of a cluster. What a guest was started from counts as long as the guest is there:
 * afterwards nobody reads it, and the next start replaces it.
 */
export function collectReferences({ revisions, virtualMachines, guests, contents, snapshots }: Sources): ReferencesByRevision {
  const namings = new Map<string, NamedReference[]>()
  const note = (object: KubeObject, subject: string, vm?: KubeObject): void => {
    for (const { namespace, revision, family, path, referrer } of referencesOf(object, vm)) {
      const key = `${namespace}/${revision}`
      const known = namings.get(key)
      const naming = { family, object: objectNamed(object, path, family), by: { ...referrer, path, subject } }
      if (known === undefined) namings.set(key, [naming])
      else known.push(naming)
    }
  }
  const vmsByUid = new Map(virtualMachines.map((vm) => [vm.metadata.uid, vm]))
  const inUse = new Set(guests.map(({ metadata, status }) => keyOf(metadata.namespace, status?.virtualMachineRevisionName)))
  for (const vm of virtualMachines) note(typed(vm, 'VirtualMachine'), `vm/${vm.metadata.name}`)
  for (const revision of revisions) {
    if (!isStartRevision(revision) || !inUse.has(keyOf(revision.metadata.namespace, revision.metadata.name))) continue
    const owner = ownerOf(revision)
    note(typed(revision, 'ControllerRevision'), `vmi/${owner?.name ?? revision.metadata.name}`, vmsByUid.get(owner?.uid))
  }
  const taken = new Set(snapshots.map(({ metadata }) => keyOf(metadata?.namespace, metadata?.name)))
  for (const content of contents) {
    const { namespace, name } = content.metadata
    const snapshot = content.spec.virtualMachineSnapshotName
    // What is retained of a snapshot outlives it.
    const subject = taken.has(keyOf(namespace, snapshot)) ? `vmsnapshot/${snapshot}` : `vmsnapshotcontent/${name}`
    note(typed(content, 'VirtualMachineSnapshotContent'), subject)
  }
  return namings
}

/** The name beside that of the revision. */
function objectNamed(object: KubeObject, path: string, family: Family): string {
  const place = path.startsWith('/status/') ? ['status', `${family}Ref`] : path.split('/').slice(1, -1)
  const matcher = place.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], object)
  const { name } = (matcher ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? name : ''
}

/** Whether somebody only remembers a revision for going back, and can do without. */
export function isHistory({ path }: Pick<Referrer, 'path'>): boolean {
  return path.startsWith('/status/steadyvm/')
}

/** Whether a revision is what a guest was started from. */
export function isStartRevision({ metadata }: ControllerRevision): boolean {
  return metadata.name?.startsWith(startRevisionPrefix) === true
}

/** Who a revision belongs to. */
export function ownerOf({ metadata }: KubeObject): { readonly kind: string; readonly name: string; readonly uid: string } | undefined {
  return metadata?.ownerReferences?.find(({ controller }) => controller === true)
}

/** How revisions are told apart. */
export function keyOf(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`
}

/** The items of a list may leave out what the list says already. */
function typed<T extends KubeObject>(object: T, kind: string): T {
  return object.kind === kind ? object : { ...object, kind }
}
