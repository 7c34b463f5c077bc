import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject, OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion, type ResourceType } from '#apimachinery/meta/resource-type.ts'

/** Finalizer of an object that waits for its blocking dependents to go first. */
export const foregroundFinalizer = 'foregroundDeletion'
/** Finalizer of an object whose dependents must be orphaned first. */
export const orphanFinalizer = 'orphan'

/** Metadata of one object that garbage collection needs. */
export interface GraphNode {
  readonly resource: ResourceType<KubeObject>
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly resourceVersion: string
  readonly owners: readonly OwnerReference[]
  readonly finalizers: readonly string[]
  readonly deleting: boolean
}

/** Builds the node of an object. */
export function graphNode(resource: ResourceType<KubeObject>, object: KubeObject): GraphNode {
  const { uid = '', namespace = '', name = '', resourceVersion = '', ownerReferences, finalizers } = object.metadata ?? {}
  return {
    resource,
    uid,
    namespace,
    name,
    resourceVersion,
    owners: ownerReferences ?? [],
    finalizers: finalizers ?? [],
    deleting: isBeingDeleted(object),
  }
}

/** Reports whether the object is being deleted and waits for its dependents. */
export function waitsForDependents(node: GraphNode): boolean {
  return node.deleting && node.finalizers.includes(foregroundFinalizer)
}

/**
 * Reports whether this reference, found on `dependent`, resolves to the object: kind, name and
 * scope must match, not only the uid.
 */
export function refersTo(reference: OwnerReference, dependent: GraphNode, owner: GraphNode): boolean {
  return (
    reference.uid === owner.uid &&
    reference.name === owner.name &&
    reference.kind === owner.resource.kind &&
    parseApiVersion(reference.apiVersion).group === owner.resource.group &&
    (!owner.resource.namespaced || owner.namespace === dependent.namespace)
  )
}

/**
 * Objects by uid, and who depends on whom. An owner may be missing: its dependents are found all
 * the same.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>()
  readonly #dependents = new Map<string, Set<string>>()
  readonly #gone = new Set<string>()

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid)
  }

  /** Reports whether the object was deleted recently. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid)
  }

  /** Objects that refer to the uid, in no particular order; itself never. */
  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => (dependent === uid ? [] : (this.#nodes.get(dependent) ?? [])))
  }

  /** Adds or replaces an object. Returns the previous node. */
  set(node: GraphNode): GraphNode | undefined {
    const old = this.#nodes.get(node.uid)
    this.#unlink(old)
    this.#nodes.set(node.uid, node)
    for (const { uid } of node.owners) this.#dependents.getOrInsertComputed(uid, () => new Set<string>()).add(node.uid)
    return old
  }

  remove(uid: string): void {
    this.#unlink(this.#nodes.get(uid))
    this.#nodes.delete(uid)
    this.#gone.add(uid)
    if (this.#gone.size > rememberedGone) for (const oldest of this.#gone.values().take(1)) this.#gone.delete(oldest)
  }

  #unlink(node: GraphNode | undefined): void {
    for (const { uid } of node?.owners ?? []) {
      const dependents = this.#dependents.get(uid)
      dependents?.delete(node?.uid ?? '')
      if (dependents?.size === 0) this.#dependents.delete(uid)
    }
  }
}

const rememberedGone = 10_000
