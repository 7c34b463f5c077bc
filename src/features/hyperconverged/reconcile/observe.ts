import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { CachedComponent } from '../components/objects/caches.ts'
import type { LatestObjects } from '../components/objects/latest-objects.ts'
import { keptGatesOf } from '../configuration/gates/gate-defaults.ts'
import type { Importer } from '../components/boot-images/report.ts'
import { imageRightsComponents } from '../components/boot-images/image-rights.ts'
import { importCronKind, importCrons, importerOf } from '../components/boot-images/import-crons.ts'
import { overridesOf } from '../configuration/overrides/override.ts'
import type { Ports } from './ports.ts'
import { components, templatesKind, type CachedKind, type Component, type ManagedKind } from '../components/rendering/components.ts'
import { clusterFactsOf, clusterSettingsKind } from '../components/rendering/cluster-facts.ts'
import { workloadComponents } from '../components/workloads/workload-components.ts'
import { nodeFactsOf } from '../components/rendering/node-facts.ts'
import type { RenderingInput } from '../components/rendering/rendering.ts'

/** Object of a component, with the parts of its status that components have in common. */
export interface ComponentObject extends KubeObject {
  readonly spec?: unknown
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[]
    readonly observedGeneration?: number
    readonly operatorVersion?: string
    readonly observedVersion?: string
    readonly targetVersion?: string
    readonly observedKubeVirtVersion?: string
    readonly targetKubeVirtVersion?: string
  }
}

/** An object that the operator maintains, as it is on the cluster. */
export interface ObservedObject {
  readonly component: ManagedKind
  /** Undefined: its kind is not installed, or in no version that is known here. */
  readonly resource: ResourceType<ComponentObject> | undefined
  /** False until the objects of the kind have been listed. */
  readonly isKnown: boolean
  readonly present: ComponentObject | undefined
}

/** A component as it is on the cluster. */
export interface ObservedComponent extends ObservedObject {
  readonly component: Component
}

/** Everything that one pass decides from. */
export interface Observation {
  readonly hyperconverged: HyperConverged
  readonly input: RenderingInput
  readonly components: readonly ObservedComponent[]
  readonly importer: Importer
}

interface ObserveOptions {
  readonly latest?: Pick<LatestObjects, 'newer'>
  /** Default: those that are stored. */
  readonly overrides?: readonly ComponentOverride[]
}

/** Reads the caches for a HyperConverged object that may not be stored. */
export function observeWith(
  ports: Omit<Ports, 'hyperconvergeds'>,
  hyperconverged: HyperConverged,
  { latest, overrides: objects = ports.overrides.list() }: ObserveOptions = {},
): Observation {
  const { version, namespace, environment } = ports
  const overrides = overridesOf(hyperconverged, objects, ports.clock.now())
  const keptGates = keptGatesOf(hyperconverged, version)
  const settings = ports.caches.observe(clusterSettingsKind)
  const cluster = clusterFactsOf(
    settings.resource !== undefined,
    settings.objects.find(({ metadata }) => metadata?.name === clusterSettingsKind.objectName),
  )
  const input = {
    hyperconverged,
    nodes: nodeFactsOf(ports.nodes.list(), hyperconverged),
    version,
    namespace,
    environment,
    cluster,
    overrides,
    keptGates,
  }
  const importers = { templates: ports.caches.observe(templatesKind), crons: ports.caches.observe(importCronKind) }
  const observe = (kind: CachedKind): CachedComponent => ports.caches.observe(kind)
  const crons = importCrons(input, importers)
  const all = [...components, ...imageRightsComponents(input, crons, observe), ...crons, ...workloadComponents(input, observe)]
  const observed = all.map((component) => observeObject(ports, component, latest))
  return { hyperconverged, input, components: observed, importer: importerOf(importers) }
}

/** Reads the caches for one object. */
export function observeObject<K extends ManagedKind>(
  { caches, namespace }: Pick<Ports, 'caches' | 'namespace'>,
  component: K,
  latest?: Pick<LatestObjects, 'newer'>,
): ObservedObject & { readonly component: K } {
  const { resource, objects, isKnown } = caches.observe({ ...component, name: component.cache ?? component.name })
  const place = component.namespace ?? namespace
  const candidates = objects.filter(({ metadata }) => resource?.namespaced !== true || metadata?.namespace === place)
  const named = candidates.find(({ metadata }) => metadata?.name === component.objectName)
  const oldest = component.adopts === true ? candidates.toSorted(byAge)[0] : undefined
  const cached = named ?? oldest
  return { component, resource, isKnown, present: latest === undefined ? cached : latest.newer(component.name, cached) }
}

function byAge({ metadata: one }: KubeObject, { metadata: other }: KubeObject): number {
  const text = (metadata: KubeObject['metadata']): string => `${metadata?.creationTimestamp ?? ''}/${metadata?.name ?? ''}`
  return text(one) < text(other) ? -1 : 1
}

/** Returns the resource of a kind in which objects may be applied. Pure. */
export function resourceOf(
  component: CachedKind,
  definition: CustomResourceDefinition | undefined,
): ResourceType<ComponentObject> | undefined {
  if (definition === undefined || isBeingDeleted(definition) || !isTrue(definition.status?.conditions, 'Established')) return undefined
  return servedResourceOf(component, definition)
}

/** Returns the resource of a component in a version that its CRD serves. Pure. */
export function servedResourceOf(
  component: CachedKind,
  definition: CustomResourceDefinition | undefined,
): ResourceType<ComponentObject> | undefined {
  if (definition === undefined) return undefined
  const served = new Set(definition.spec.versions.flatMap(({ name, served: isServed }) => (isServed ? [name] : [])))
  const version = component.versions.find((name) => served.has(name))
  if (version === undefined) return undefined
  const { group, kind, plural } = component
  return { group, version, kind, plural, namespaced: definition.spec.scope === 'Namespaced' }
}
