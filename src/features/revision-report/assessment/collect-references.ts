import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { type Family, referencesOf, startRevisionPrefix } from '#features/instancetype/index.ts'
import type { Referrer, RevisionInventory } from '../types.ts'

/** A reference with the name of its object. */
export interface NamedReference {
  readonly family: Family
  /** Name of the instance type or preference; empty if the reference has none. */
  readonly object: string
  readonly by: Referrer
}

/** References by `namespace/name` of the revision. */
export type ReferencesByRevision = ReadonlyMap<string, readonly NamedReference[]>

type Sources = Pick<RevisionInventory, 'revisions' | 'virtualMachines' | 'guests' | 'contents' | 'snapshots'>

/**
 * Returns all references in the cluster. A start revision counts while its guest exists; the next
 * start replaces it.
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
    const owner = controllerOf(revision)
    note(typed(revision, 'ControllerRevision'), `vmi/${owner?.name ?? revision.metadata.name}`, vmsByUid.get(owner?.uid))
  }
  const taken = new Set(snapshots.map(({ metadata }) => keyOf(metadata?.namespace, metadata?.name)))
  for (const content of contents) {
    const { namespace, name } = content.metadata
    const snapshot = content.spec.virtualMachineSnapshotName
    // Retained content outlives its snapshot.
    const subject = taken.has(keyOf(namespace, snapshot)) ? `vmsnapshot/${snapshot}` : `vmsnapshotcontent/${name}`
    note(typed(content, 'VirtualMachineSnapshotContent'), subject)
  }
  return namings
}

/** Returns the object name beside the revision name. */
function objectNamed(object: KubeObject, path: string, family: Family): string {
  const place = path.startsWith('/status/') ? ['status', `${family}Ref`] : path.split('/').slice(1, -1)
  const matcher = place.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], object)
  const { name } = (matcher ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? name : ''
}

/** Reports whether a reference is a VM's history, which the VM does not need to run. */
export function isHistory({ path }: Pick<Referrer, 'path'>): boolean {
  return path.startsWith('/status/steadyvm/')
}

/** Reports whether a revision is a start revision. */
export function isStartRevision({ metadata }: ControllerRevision): boolean {
  return metadata.name?.startsWith(startRevisionPrefix) === true
}

/** Returns the key of a revision. */
export function keyOf(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`
}

/** Sets the kind, which items of a list lack. */
function typed<T extends KubeObject>(object: T, kind: string): T {
  return object.kind === kind ? object : { ...object, kind }
}
