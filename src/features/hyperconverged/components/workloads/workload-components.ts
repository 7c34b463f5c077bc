import { isJsonObject } from '#apimachinery/own-property.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { CachedComponent } from '../objects/caches.ts'
import { isRendered } from '../objects/rendered-hash.ts'
import { rolloutOf } from '../objects/rollout.ts'
import type { ComponentObject } from '../../reconcile/observe.ts'
import type { CachedKind, Component } from '../rendering/components.ts'
import { FieldUnusable, Rendering, type Rendered, type RenderingInput } from '../rendering/rendering.ts'
import type { ValueSource } from '../rendering/value-source.ts'
import { aieWebhook } from './aie-webhook.ts'
import { workloadKindOf, workloadKinds } from './kinds.ts'
import { networkResourcesInjector } from './network-resources-injector.ts'
import { observabilityController } from './observability-controller.ts'
import { priorityClass } from './priority-class.ts'
import { waspAgent } from './wasp-agent.ts'
import { placeOf, type Workload } from './workload.ts'

/** All workloads, in the order in which they are written. */
export const workloads: readonly Workload[] = [priorityClass, networkResourcesInjector, aieWebhook, waspAgent, observabilityController]

/** Kind of the object whose pods do the work. */
const podKinds: readonly string[] = ['Deployment', 'DaemonSet']
const webhookKind = 'MutatingWebhookConfiguration'

/** Reads the objects of a kind. */
type Observe = (kind: CachedKind) => CachedComponent

/**
 * Returns the objects of workloads as components: those that HyperConverged asks for, and those
 * that it has asked for before. A webhook is registered once the pods behind it are ready, since
 * without them it would refuse every launcher pod that it selects. Pure.
 */
export function workloadComponents(input: RenderingInput, observe: Observe): readonly Component[] {
  const hasCertManager = observe(workloadKindOf('Certificate')).resource !== undefined
  const wanted = wantedWorkloads(input, hasCertManager).filter(
    (component) => component.kind !== webhookKind || isServed(component, observe),
  )
  const names = new Set(wanted.flatMap(({ kind, objectName, absence }) => (absence === undefined ? [`${kind}/${objectName}`] : [])))
  const left = workloadKinds.flatMap((kind) =>
    observe(kind).objects.flatMap((object) => {
      const name = object.metadata?.name ?? ''
      return isOfWorkload(object) && !names.has(`${kind.kind}/${name}`) ? [leftoverOf(kind, object, name)] : []
    }),
  )
  return [...wanted, ...left]
}

/** Returns the objects of workloads that HyperConverged asks for, as components. Pure. */
export function wantedWorkloads(input: RenderingInput, hasCertManager = true): readonly Component[] {
  return workloads.flatMap((workload): readonly Component[] => {
    const rendering = new Rendering(input)
    const source = workload.requestedBy(rendering)
    if (source === undefined) return []
    const image = workload.image === undefined ? '' : (input.environment[workload.image] ?? '')
    if (workload.image !== undefined && image === '')
      return [absent(workload, source, `the environment variable ${workload.image} of the operator names no image`)]
    try {
      const place = placeOf(rendering, image, hasCertManager)
      const obstacle = workload.obstacle?.(place)
      if (obstacle !== undefined) return [absent(workload, source, obstacle)]
      return workload.objects(place).map((object) => componentOf(workload, object, source))
    } catch (error) {
      if (!(error instanceof FieldUnusable)) throw error
      return [unusable(workload, error.message)]
    }
  })
}

/** Reports whether an object is one of a workload, by its label. Pure. */
function isOfWorkload(object: ComponentObject): boolean {
  const part = object.metadata?.labels?.['app.kubernetes.io/component']
  return isRendered(object) && workloads.some((workload) => workload.part === part)
}

function isServed({ objectName, part }: Component, observe: Observe): boolean {
  const isThere = observe(workloadKindOf(webhookKind)).objects.some(({ metadata }) => metadata?.name === objectName)
  const pods = observe(workloadKindOf('Deployment')).objects.filter(
    ({ metadata }) => metadata?.labels?.['app.kubernetes.io/component'] === part,
  )
  return isThere || (pods.length > 0 && pods.every((object) => rolloutOf(object).isReady))
}

/** The object that stands for the workload has its name. */
function nameOfObject(workload: string, { kind }: CachedKind): string {
  return podKinds.includes(kind) || workload === priorityClass.name ? workload : `${workload}/${kind}`
}

function componentOf({ name, part }: Workload, object: KubeObject, source: ValueSource): Component {
  const kind = workloadKindOf(object.kind ?? '')
  const hasPods = podKinds.includes(kind.kind)
  return {
    ...kind,
    name: nameOfObject(name, kind),
    objectName: object.metadata?.name ?? '',
    part,
    cache: kind.name,
    hasSpec: 'spec' in object,
    ...(hasPods ? { isRolledOut: true } : { reports: false }),
    ...(kind.kind === 'ConfigMap' ? { isEditable: true } : {}),
    render: (input) => renderObject(input, object, source),
  }
}

/** A workload that cannot run. It is shown under its name. */
function absent({ name, part }: Workload, source: ValueSource, absence: string): Component {
  const kind = workloadKindOf('Deployment')
  return {
    ...kind,
    name,
    objectName: '',
    part,
    cache: kind.name,
    absence,
    isRequested: source.kind === 'user' || (source.kind === 'gate' && source.because === 'user'),
    render: (input) => new Rendering(input).done(),
  }
}

function unusable({ name, part }: Workload, message: string): Component {
  const kind = workloadKindOf('Deployment')
  const problems = [{ field: 'spec.security.tlsSecurityProfile', message }]
  return { ...kind, name, objectName: '', part, cache: kind.name, isRolledOut: true, render: () => ({ values: [], problems }) }
}

/** Returns an object of a workload as a component that nothing asks for. Pure. */
export function leftoverOf(kind: CachedKind, { metadata }: ComponentObject, objectName: string): Component {
  const part = metadata?.labels?.['app.kubernetes.io/component'] ?? ''
  const { name = part } = workloads.find((workload) => workload.part === part) ?? {}
  return {
    ...kind,
    name: nameOfObject(name, kind),
    objectName,
    part,
    cache: kind.name,
    reports: false,
    isWanted: () => false,
    render: (input) => new Rendering(input).done(),
  }
}

/** Every field at the top has the source of the workload. */
function renderObject(input: RenderingInput, object: KubeObject, source: ValueSource): Rendered {
  const rendering = new Rendering(input)
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...fields } = object
  for (const [name, value] of Object.entries((metadata as { annotations?: Readonly<Record<string, string>> }).annotations ?? {}))
    rendering.annotate(name, value, source)
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'spec' && isJsonObject(value)) for (const [field, part] of Object.entries(value)) rendering.set(field, part, source)
    else rendering.values.push({ path: [name], value, source })
  }
  return rendering.done()
}
