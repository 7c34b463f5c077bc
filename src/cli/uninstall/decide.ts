import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { finalizer, registrationNames } from '#features/hyperconverged/index.ts'
import type { InstalledObject } from './installed-objects.ts'
import type { Platform } from './platform.ts'

/** An object to delete. */
export interface Deletion {
  readonly title: string
  readonly resource: ResourceType<KubeObject>
  readonly object: KubeObject
}

/** The next step of an uninstallation. The following one is derived from the state after it. */
export type UninstallStep =
  | { readonly do: 'delete'; readonly objects: readonly Deletion[] }
  /** Without a server for the conversion, the API server refuses writes. */
  | { readonly do: 'stopConversion'; readonly definition: CustomResourceDefinition }
  /** Removes the finalizer, so that the components stay. */
  | { readonly do: 'release'; readonly hyperconverged: HyperConverged }
  /** The operator does not run: the command removes the components in its place. */
  | { readonly do: 'teardown' }
  /** Something is being removed by its controller. */
  | { readonly do: 'wait'; readonly titles: readonly string[] }
  | {
      readonly do: 'finish'
      /** Parts that stay, since another tool has installed them. */
      readonly left: readonly InstalledObject[]
    }

/** What is removed: everything, or HyperConverged without the components. */
export type UninstallScope = 'all' | 'hyperconverged'

/**
 * Decides the next step: the HyperConverged object, which its operator removes with the components;
 * components that have no such object; then the operators, what they registered, and the CRDs. If
 * the components stay, the operator ends first. All is derived from what exists, so that the
 * command can be interrupted and started again. Pure.
 */
export function decideUninstallation(platform: Platform, installed: readonly InstalledObject[], scope: UninstallScope): UninstallStep {
  const parts = partsToRemove(platform, installed, scope)
  const operator = scope === 'all' ? undefined : stepOfStage(parts.filter(({ stage }) => stage === 0))
  return (
    operator ??
    stepOfHyperConverged(platform, installed, scope) ??
    (scope === 'all' ? stepOfComponents(platform) : undefined) ??
    stepOfOperators(parts, installed)
  )
}

function stepOfHyperConverged(
  { hyperconverged, converted, running }: Platform,
  installed: readonly InstalledObject[],
  scope: UninstallScope,
): UninstallStep | undefined {
  if (hyperconverged === undefined) return undefined
  const title = `HyperConverged/${hyperconverged.metadata.name ?? ''}`
  const isRunning = scope === 'all' && running.has('hyperconverged-operator')
  if (!isRunning) {
    // Without a server they refuse every write of the object, and its deletion.
    const dead = stepOfStage(installed.filter(({ object }) => registrationNames.includes(object.metadata?.name ?? '')))
    if (dead !== undefined) return dead
    if (converted !== undefined) return { do: 'stopConversion', definition: converted }
    if (scope !== 'all' && hyperconverged.metadata.finalizers?.includes(finalizer) === true) return { do: 'release', hyperconverged }
  }
  if (!isBeingDeleted(hyperconverged)) return { do: 'delete', objects: [{ title, resource: hyperConvergeds, object: hyperconverged }] }
  return isRunning || scope !== 'all' ? { do: 'wait', titles: [title] } : { do: 'teardown' }
}

function stepOfComponents({ components }: Platform): UninstallStep | undefined {
  return stepOfStage(components.filter(({ stage }) => stage === components[0]?.stage))
}

function stepOfOperators(parts: readonly InstalledObject[], all: readonly InstalledObject[]): UninstallStep {
  const first = Math.min(...parts.map(({ stage }) => stage))
  return stepOfStage(parts.filter(({ stage }) => stage === first)) ?? { do: 'finish', left: all.filter((part) => !parts.includes(part)) }
}

function stepOfStage(objects: readonly Deletion[]): UninstallStep | undefined {
  if (objects.length === 0) return undefined
  // Pods end with their Deployments.
  const asked = objects.filter(({ object, resource }) => !isBeingDeleted(object) && resource.kind !== 'Pod')
  return asked.length > 0 ? { do: 'delete', objects: asked } : { do: 'wait', titles: objects.map(({ title }) => title) }
}

/**
 * Returns the parts of the operators that are removed. Not those of another tool, nor virt-operator
 * and its rights on a machine, which `steadyvm up` starts. Pure.
 */
export function partsToRemove(
  { isMachine, otherKubeVirts }: Platform,
  installed: readonly InstalledObject[],
  scope: UninstallScope,
): readonly InstalledObject[] {
  const isOfHyperConverged = ({ title, object }: InstalledObject): boolean =>
    /hyperconverged|componentoverrides/.test(title) || object.metadata?.labels?.['kubevirt.io'] === 'hyperconverged-operator'
  return installed.filter((part) => {
    if (part.owner !== undefined || isPodOfOther(part, installed)) return false
    if (isOfHyperConverged(part)) return true
    const isDefinition = part.resource.kind === 'CustomResourceDefinition'
    return scope === 'all' && !isMachine && !(isDefinition && otherKubeVirts.length > 0)
  })
}

/** True for a pod whose Deployment another tool has installed. */
function isPodOfOther({ resource, object }: InstalledObject, installed: readonly InstalledObject[]): boolean {
  if (resource.kind !== 'Pod') return false
  const title = `Deployment/${object.metadata?.labels?.['kubevirt.io'] ?? ''}`
  return installed.some((other) => other.title === title && other.owner !== undefined)
}
