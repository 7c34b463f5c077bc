import type { Node } from '#api/core/v1/node.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

/** An object that is removed with the system. */
export interface Piece {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
}

/** A CRD that is removed with the system, including its objects. */
export interface DefinitionState extends Piece {
  readonly name: string
  /** True if it has the operator's finalizer. */
  readonly isHeld: boolean
  readonly isDeleting: boolean
  /** True if the API server reported that all of its objects are gone. */
  readonly isEmpty: boolean
}

/** Remaining objects of the system. */
export interface UninstallObservation {
  readonly definitions: readonly DefinitionState[]
  /** Webhook configurations. Only read while there are CRDs. */
  readonly webhooks: readonly Piece[]
  /** True if registered webhooks do not answer, or had their time. */
  readonly isAdmissionDead: boolean
  /** Installed objects, in the order of their removal. Only read when no CRDs are left. */
  readonly layers: readonly {
    /** Description for messages. */
    readonly name: string
    readonly pieces: readonly Piece[]
    /** Names of pods that must have ended before the next layer is removed. */
    readonly pods: readonly string[]
  }[]
  /** Nodes with labels or annotations of the system. */
  readonly nodes: readonly Node[]
}

/** The next step. The following one is derived from the state after it. `message` is for status. */
export type UninstallStep = { readonly message: string } & (
  | { readonly do: 'hold' | 'release' | 'delete'; readonly pieces: readonly Piece[] }
  | { readonly do: 'strip'; readonly nodes: readonly Node[] }
  | { readonly do: 'wait' | 'finish' }
)

/** Number of names in a message; the rest is counted. */
const mostNames = 5

/**
 * Decides the next step of an uninstallation. All CRDs are deleted at once, and finalizers keep
 * each until the last one has no objects: deleting VMIs stops guests, for which node agents and
 * controllers still need CRDs, rights and each other. Then components are removed, and finally
 * their marks on nodes. Pure, and derived from stored state, so that it survives a kill between any
 * two steps.
 */
export function decideUninstall(observed: UninstallObservation): UninstallStep {
  return stepOfKinds(observed) ?? stepOfLayers(observed) ?? stepOfNodes(observed)
}

function stepOfKinds({ definitions, webhooks, isAdmissionDead }: UninstallObservation): UninstallStep | undefined {
  const asked = definitions.filter(({ isDeleting }) => !isDeleting)
  const message = 'All objects of all kinds are being deleted'
  // A finalizer cannot be added to an object that is being deleted.
  const loose = asked.filter(({ isHeld }) => !isHeld)
  if (loose.length > 0) return { do: 'hold', pieces: loose, message }
  if (asked.length > 0) return { do: 'delete', pieces: asked, message }
  const full = definitions.filter(({ isEmpty }) => !isEmpty)
  if (full.length > 0) {
    // Removing a finalizer is an update, which an unreachable webhook would refuse. Creations are
    // refused by the API server itself.
    if (isAdmissionDead && webhooks.length > 0) return { do: 'delete', pieces: webhooks, message }
    return { do: 'wait', message: `Waits for the last objects of ${listed(full.map(({ name }) => name))}` }
  }
  const held = definitions.filter(({ isHeld }) => isHeld)
  return held.length === 0 ? undefined : { do: 'release', pieces: held, message: 'All objects are gone' }
}

function stepOfLayers({ layers }: UninstallObservation): UninstallStep | undefined {
  for (const { name, pieces, pods } of layers) {
    const asked = pieces.filter(({ object }) => !isBeingDeleted(object))
    if (asked.length > 0) return { do: 'delete', pieces: asked, message: `Removes ${name}` }
    const remaining = [...pieces.map(({ object }) => object.metadata?.name ?? ''), ...pods]
    if (remaining.length > 0) return { do: 'wait', message: `Waits for the end of ${listed(remaining)}` }
  }
  return undefined
}

function stepOfNodes({ nodes }: UninstallObservation): UninstallStep {
  if (nodes.length > 0) return { do: 'strip', nodes, message: 'Takes its marks from nodes' }
  return { do: 'finish', message: 'All that was installed is gone' }
}

function listed(names: readonly string[]): string {
  const sorted = names.toSorted()
  const more = sorted.length - mostNames
  return `${sorted.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
