import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelsOf, operatorName } from '../names.ts'
import { differingPaths } from '../components/objects/differing-paths.ts'
import { fieldsOfEmptiedObjects } from '../components/objects/emptied-objects.ts'
import type { ComponentObject, Observation, ObservedComponent, ObservedObject } from './observe.ts'
import { isRendered, renderedAnnotation, renderedHash } from '../components/objects/rendered-hash.ts'
import type { OverrideResult } from '../configuration/overrides/apply-overrides.ts'
import { renderComponent } from '../configuration/overrides/render-component.ts'
import { objectOf, type RenderingInput } from '../components/rendering/rendering.ts'
import type { RenderingProblem } from '../components/rendering/value-source.ts'
import { valueAt, type FieldPath } from '../value-at.ts'

/** What is to be done about a component. */
export type Step =
  /** Its kind is not installed, or the workload cannot run here. */
  | { readonly kind: 'absent'; readonly why?: string }
  /** HyperConverged does not ask for it, and it does not exist. */
  | { readonly kind: 'not-wanted' }
  /** Nothing can be said yet, or its object is being deleted by others. */
  | { readonly kind: 'wait'; readonly why: string }
  /** It is as it should be. */
  | { readonly kind: 'keep' }
  | {
      readonly kind: 'apply'
      readonly object: KubeObject
      /** `drift`: others have changed what the operator had applied. */
      readonly cause: 'create' | 'change' | 'drift'
      /** Paths that others have changed, and by whom. */
      readonly drift: readonly string[]
      readonly rivals: readonly string[]
      /** Paths of fields to be removed by a patch, see {@link fieldsOfEmptiedObjects}. */
      readonly removed: readonly FieldPath[]
    }
  | { readonly kind: 'remove'; readonly object: ComponentObject }
  /** Its spec cannot be changed: it is deleted, and created by a later pass. */
  | { readonly kind: 'replace'; readonly object: ComponentObject; readonly next: KubeObject }

/** What is to be written. */
export type WriteStep = Extract<Step, { readonly kind: 'apply' | 'remove' | 'replace' }>

/** True for a step that writes. Pure. */
export function isWrite(step: Step): step is WriteStep {
  return step.kind === 'apply' || step.kind === 'remove' || step.kind === 'replace'
}

/** An object, and what is to be done about it. */
export interface Decision<O extends ObservedObject = ObservedObject> {
  readonly observed: O
  readonly step: Step
  readonly problems: readonly RenderingProblem[]
  /** What became of the overrides of the component; empty if nothing is rendered. */
  readonly overrides: readonly OverrideResult[]
  /** True if the object is not as decided, and nothing may be written to it now. */
  readonly isHeld?: true
}

/** Decides about every component. One that fails does not affect the others. Pure. */
export function decide({ components, input, hyperconverged }: Observation): readonly Decision<ObservedComponent>[] {
  return components.map((observed): Decision<ObservedComponent> => {
    const { component, resource, isKnown, present } = observed
    const isWanted = component.isWanted?.(hyperconverged) ?? true
    const step = ((): Step | undefined => {
      if (!isWanted && (resource === undefined || (isKnown && present === undefined))) return { kind: 'not-wanted' }
      const obstacle = obstacleTo(observed)
      if (obstacle !== undefined || isWanted) return obstacle
      // An object that the operator did not write is not the operator's to delete.
      return present !== undefined && isRendered(present) ? { kind: 'remove', object: present } : { kind: 'not-wanted' }
    })()
    if (step !== undefined) return { observed, step, problems: [], overrides: [] }
    const { values, problems, overrides } = renderComponent(component, input)
    return { observed, step: applyStep(observed, completed(observed, objectOf(values), input)), problems, overrides }
  })
}

/** Leaves a component as it is, while nothing may be written. Pure. */
export function held(decision: Decision): Decision {
  return isWrite(decision.step) ? { ...decision, step: { kind: 'keep' }, isHeld: true } : decision
}

/** Decides how an object that does not depend on HyperConverged becomes as rendered. Pure. */
export function decideObject(observed: ObservedObject, rendered: object, place: Pick<RenderingInput, 'namespace' | 'version'>): Decision {
  const step = obstacleTo(observed) ?? applyStep(observed, completed(observed, rendered, place))
  return { observed, step, problems: [], overrides: [] }
}

/** Reason why nothing can be written now. */
function obstacleTo({ component, resource, isKnown, present }: ObservedObject): Step | undefined {
  if (component.absence !== undefined) return { kind: 'absent', why: component.absence }
  if (resource === undefined) return { kind: 'absent' }
  if (!isKnown) return { kind: 'wait', why: 'its objects are not known yet' }
  return present !== undefined && isBeingDeleted(present) ? { kind: 'wait', why: 'its object is being deleted' } : undefined
}

/** Adds kind, name, labels and hash to the rendered parts. */
function completed(
  { component, resource, present }: ObservedObject,
  rendered: object,
  { namespace, version }: Pick<RenderingInput, 'namespace' | 'version'>,
): KubeObject {
  const { metadata = {}, ...parts } = rendered as KubeObject
  const place = resource?.namespaced === true ? { namespace: component.namespace ?? namespace } : {}
  const object = {
    apiVersion: resource === undefined ? '' : apiVersionOf(resource),
    kind: component.kind,
    metadata: {
      ...place,
      name: present?.metadata?.name ?? component.objectName,
      ...metadata,
      labels: { ...labelsOf(component.part), 'app.kubernetes.io/version': version, ...metadata.labels },
    },
    ...(component.hasSpec === false ? {} : { spec: {} }),
    ...parts,
    ...(component.isEditable === true && present !== undefined ? { data: (present as { readonly data?: unknown }).data } : {}),
  }
  const annotations = { ...metadata.annotations, [renderedAnnotation]: renderedHash(object) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

function applyStep({ component, present }: ObservedObject, object: KubeObject): Step {
  const apply = { kind: 'apply', object, drift: [], rivals: [], removed: [] } as const
  if (present === undefined) return { ...apply, cause: 'create' }
  if (component.isSpecImmutable === true && differingPaths(object, present).some(([key]) => key === 'spec'))
    return { kind: 'replace', object: present, next: object }
  const before = present.metadata?.annotations?.[renderedAnnotation]
  const wanted = object.metadata?.annotations?.[renderedAnnotation]
  if (before !== wanted)
    return { ...apply, cause: before === undefined ? 'create' : 'change', removed: fieldsOfEmptiedObjects(object, present) }
  const drift = differingPaths(object, present)
  if (drift.length === 0) return { kind: 'keep' }
  return { ...apply, cause: 'drift', drift: drift.map((path) => path.join('.')), rivals: rivalsOf(present, drift) }
}

/** Field managers that own changed fields, the latest first. */
function rivalsOf({ metadata }: KubeObject, drift: readonly FieldPath[]): readonly string[] {
  const owned = (fields: unknown, path: FieldPath): boolean =>
    valueAt(
      fields,
      path.map((key) => `f:${key}`),
    ) !== undefined
  const entries = (metadata?.managedFields ?? []).filter(
    ({ manager, fieldsV1 }) => manager !== operatorName && drift.some((path) => owned(fieldsV1, path)),
  )
  const byTime = entries.toSorted((one, other) => ((one.time ?? '') > (other.time ?? '') ? -1 : 1))
  return [...new Set(byTime.map(({ manager = '' }) => manager))]
}
