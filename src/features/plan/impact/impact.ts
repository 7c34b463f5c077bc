import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { isShared } from '#features/instancetype/index.ts'
import { families, identityOf, namedObject } from '../cluster-state/named-objects.ts'
import { policiesFor } from './migration-policies.ts'
import { referenceTo } from '../reference.ts'
import type { RelatedObjects } from '../cluster-state/read-related-objects.ts'
import type { ObjectReference } from '../types.ts'
import { guestOf, stateOf } from '../vm/vm-state.ts'
import type { ClusterState } from '../cluster-state/cluster-state.ts'

/** A VM that uses an object. */
export interface UsingVm {
  readonly namespace: string
  readonly name: string
  readonly running: boolean
  /**
   * `captured`: it has its own revision, independent of the object. `live`: nothing is captured
   * yet.
   * `guest`: only its guest, until it is restarted.
   */
  readonly uses: 'captured' | 'live' | 'guest'
  readonly generation?: number
  readonly revision?: string
}

/** A copy of an object. */
export interface Copy {
  readonly namespace: string
  readonly name: string
  readonly generation: number
  /** The VM or snapshot that owns it. */
  readonly owner?: string
  /** Without owner: shared by all VMs that have captured the same content. */
  readonly shared?: true
}

/** Everything that uses an object. */
export interface Impact {
  readonly object: ObjectReference
  readonly exists: boolean
  readonly virtualMachines: readonly UsingVm[]
  readonly revisions: readonly Copy[]
  /** `namespace/name`. Absent when the cluster has no snapshots. */
  readonly snapshots?: readonly string[]
  /**
   * Names of the policies by which guests of these VMs migrate. Absent when the cluster has none,
   * or they may not be read.
   */
  readonly migrationPolicies?: readonly string[]
}

/** Finds the users of an instance type or preference, or the objects of a VM. */
export async function impactOf(cluster: ClusterState, target: ObjectReference, related: RelatedObjects): Promise<Impact> {
  const live = cluster.live({ kind: target.kind, metadata: metadataOf(target) })
  const copies = cluster.list(controllerRevisions).filter((revision) => isCopyOf(revision, target) || belongsTo(revision, target))
  const copyNames = new Set(copies.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
  const users: UsingVm[] = []
  for (const vm of cluster.list(virtualMachines)) {
    const use = await useBy(cluster, vm, { target, copyNames })
    if (use !== undefined) users.push(use)
  }
  const { snapshotContents, migrationPolicies } = related
  return {
    object: live === undefined ? target : referenceTo(target.kind, live.metadata),
    exists: live !== undefined,
    virtualMachines: users.toSorted(byPlace),
    revisions: copies.map(describeCopy).toSorted(byPlace),
    ...(snapshotContents === undefined
      ? {}
      : { snapshots: snapshotContents.filter((content) => isIn(content.vm, target, copyNames)).map(({ snapshot }) => snapshot) }),
    ...(migrationPolicies === undefined
      ? {}
      : {
          migrationPolicies: policiesFor(
            users.map((user) => cluster.get(virtualMachines, user)),
            related,
          ),
        }),
  }
}

interface Search {
  readonly target: ObjectReference
  /** `namespace/name` of the revisions that hold the object. */
  readonly copyNames: ReadonlySet<string>
}

async function useBy(cluster: ClusterState, vm: VirtualMachine, { target, copyNames }: Search): Promise<UsingVm | undefined> {
  const { namespace = '', name = '' } = vm.metadata
  const vmi = guestOf(cluster, vm)
  const base = { namespace, name, running: vmi !== undefined }
  if (target.kind === 'VirtualMachine')
    return namespace === target.namespace && name === target.name ? { ...base, uses: 'live' } : undefined
  const family = families.find((candidate) => {
    const named = namedObject(vm, candidate)
    return named !== undefined && identityOf(named) === identityOf(target)
  })
  if (family !== undefined) {
    const found = (await stateOf(cluster, vm)).inForce?.[family]
    if (found === undefined) return { ...base, uses: 'live' }
    const { generation } = found.object.metadata
    const revision = found.revision?.metadata.name
    return {
      ...base,
      uses: revision === undefined ? 'live' : 'captured',
      ...(generation === undefined ? {} : { generation }),
      ...(revision === undefined ? {} : { revision }),
    }
  }
  const start = cluster.get(controllerRevisions, { namespace, name: vmi?.status?.virtualMachineRevisionName ?? '' })
  const started = start?.data?.['spec'] as VirtualMachineSpec | undefined
  const revision = families
    .map((candidate) => started?.[candidate]?.revisionName ?? '')
    .find((copy) => copyNames.has(`${namespace}/${copy}`))
  return revision === undefined ? undefined : { ...base, uses: 'guest', revision }
}

interface StoredObject {
  readonly kind?: string
  readonly metadata?: ObjectMeta
}

function isCopyOf({ metadata, data }: ControllerRevision, target: ObjectReference): boolean {
  const stored = (data ?? {}) as StoredObject
  if (stored.kind !== target.kind || stored.metadata?.name !== target.name) return false
  return target.namespace === undefined || target.namespace === metadata.namespace
}

function belongsTo({ metadata }: ControllerRevision, { kind, name, namespace }: ObjectReference): boolean {
  return metadata.namespace === namespace && metadata.ownerReferences?.some((owner) => owner.kind === kind && owner.name === name) === true
}

function describeCopy(revision: ControllerRevision): Copy {
  const { metadata, data } = revision
  const owner = controllerOf({ metadata })
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    generation: ((data ?? {}) as StoredObject).metadata?.generation ?? 0,
    ...(owner === undefined ? {} : { owner: `${owner.kind}/${owner.name}` }),
    ...(isShared(revision) ? { shared: true } : {}),
  }
}

function isIn(vm: VirtualMachine, target: ObjectReference, copyNames: ReadonlySet<string>): boolean {
  const { namespace, name } = vm.metadata
  if (target.kind === 'VirtualMachine') return namespace === target.namespace && name === target.name
  return families.some((family) => {
    const named = namedObject(vm, family)
    const copy = `${namespace}/${vm.spec[family]?.revisionName ?? ''}`
    return copyNames.has(copy) || (named !== undefined && identityOf(named) === identityOf(target))
  })
}

function metadataOf({ name, namespace }: ObjectReference): ObjectMeta {
  return { name, ...(namespace === undefined ? {} : { namespace }) }
}

function byPlace(a: { namespace: string; name: string }, b: { namespace: string; name: string }): number {
  return a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name)
}
