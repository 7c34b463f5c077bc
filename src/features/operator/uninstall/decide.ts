import type { Node } from '#api/core/v1/node.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

/** An object that goes with the system. */
export interface Piece {
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
}

/** A definition that goes with the system, with all of its objects. */
export interface DefinitionState extends Piece {
  readonly name: string
  /** Whether the operator's finalizer keeps it. */
  readonly isHeld: boolean
  readonly isDeleting: boolean
  /** Whether the API server has said that all of its objects are gone. */
  readonly isEmpty: boolean
}

/** What is left of the system. */
export interface UninstallObservation {
  readonly definitions: readonly DefinitionState[]
  /** Registrations of webhooks. Only looked at while there are definitions. */
  readonly webhooks: readonly Piece[]
  /** Whether whoever is registered as a webhook does not answer, or has had its time. */
  readonly isAdmissionDead: boolean
  /**
   * What the operator has installed, in the order in which it goes. Only looked at when there are
   * no definitions.
   */
  readonly layers: readonly {
    /** What it is, for people. */
    readonly name: string
    readonly pieces: readonly Piece[]
    /** Names of pods that must have ended before the next layer goes. */
    readonly pods: readonly string[]
  }[]
  /** Nodes that carry marks of the system. */
  readonly nodes: readonly Node[]
}

/**
 * The next thing to do. One at a time: what comes after it follows from what is then there.
 * `message` is for people.
 */
export type UninstallStep = { readonly message: string } & (
  | { readonly do: 'hold' | 'release' | 'delete'; readonly pieces: readonly Piece[] }
  | { readonly do: 'strip'; readonly nodes: readonly Node[] }
  | { readonly do: 'wait' | 'finish' }
)

/** So many names are told; the rest is counted. */
const mostNames = 5

/**
 * Decides what is next while the system is removed. All kinds go at once, and each is kept until
 * the last of them has no objects: guests are stopped by the deletion of their objects, for which
 * node agents and controllers still need kinds, rights and each other. Only then the components go,
 * and at last what they have left on nodes. Pure, and from what is there alone, so that it can be
 * cut between any two steps.
 */
export function decideUninstall(observed: UninstallObservation): UninstallStep {
  return stepOfKinds(observed) ?? stepOfLayers(observed) ?? stepOfNodes(observed)
}

function stepOfKinds({ definitions, webhooks, isAdmissionDead }: UninstallObservation): UninstallStep | undefined {
  const asked = definitions.filter(({ isDeleting }) => !isDeleting)
  const message = 'All objects of all kinds are being deleted'
  // Nobody can be given a finalizer who goes already.
  const loose = asked.filter(({ isHeld }) => !isHeld)
  if (loose.length > 0) return { do: 'hold', pieces: loose, message }
  if (asked.length > 0) return { do: 'delete', pieces: asked, message }
  const full = definitions.filter(({ isEmpty }) => !isEmpty)
  if (full.length > 0) {
    // Whoever takes a finalizer away changes an object, which a dead webhook refuses. New objects
    // are refused by the API server itself.
    if (isAdmissionDead && webhooks.length > 0) return { do: 'delete', pieces: webhooks, message }
    return { do: 'wait', message: `Waits for the last objects of ${listed(full.map(({ name }) => name))}` }
  }
  const held = definitions.filter(({ isHeld }) => isHeld)
  return held.length === 0 ? undefined : { do: 'release', pieces: held, message: 'All objects are gone' }
}

function stepOfLayers({ layers }: UninstallObservation): UninstallStep | undefined {
  for (const { name, pieces, pods } of layers) {
    const asked = pieces.filter(({ object }) => object.metadata?.deletionTimestamp === undefined)
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
