import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { ComponentStatus, HyperConvergedStatus } from '#api/hco/v1/status.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { stageOf } from './decide.ts'
import type { ManagedObject } from './observe.ts'

/** Reasons of the conditions. */
const failed = 'DeletionFailed'
const inProgress = 'DeletionInProgress'

/** What is left, and why it could not be deleted, by the names of objects as `Kind/name`. */
export interface TeardownReport {
  readonly managed: readonly ManagedObject[]
  readonly errors: ReadonlyMap<string, string>
}

/** Names an object in status, events and output. */
export function titleOf({ component, object }: Pick<ManagedObject, 'component' | 'object'>): string {
  return `${component.kind}/${object.metadata?.name ?? ''}`
}

/** Returns the changed fields of the status while the platform is removed. Pure. */
export function teardownStatus({ status = {}, metadata }: HyperConverged, report: TeardownReport, now: string): HyperConvergedStatus {
  const { managed, errors } = report
  const components = managed.map((one) => componentStatus(one, report, status.steadyvm?.components ?? [], now))
  const observedGeneration = metadata.generation ?? 0
  const conditions = conditionsOf(components, errors.size > 0)
    .map((condition) => ({ ...condition, observedGeneration }))
    .reduce<Condition[]>((list, condition) => setCondition(list, condition, now), status.conditions ?? [])
  return {
    conditions,
    observedGeneration,
    systemHealthStatus: errors.size > 0 ? 'error' : 'warning',
    relatedObjects: managed.map(({ component: { kind }, resource, object: { metadata: { namespace, name = '', uid = '' } = {} } }) => ({
      apiVersion: apiVersionOf(resource),
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      uid,
      // As it was: progress of a deletion changes it all the time.
      resourceVersion: status.relatedObjects?.find((one) => one.uid === uid)?.resourceVersion ?? '',
    })),
    steadyvm: { components },
  }
}

function componentStatus(
  managed: ManagedObject,
  { managed: all, errors }: TeardownReport,
  before: readonly ComponentStatus[],
  now: string,
): ComponentStatus {
  const { component, object } = managed
  const { deletionTimestamp, finalizers = [] } = object.metadata ?? {}
  const title = titleOf(managed)
  const error = errors.get(title)
  const current = ((): Pick<ComponentStatus, 'state' | 'message'> => {
    if (error !== undefined) return { state: 'Failed', message: `its ${component.kind} cannot be deleted: ${error}` }
    if (isBeingDeleted(object))
      return {
        state: 'Deleting',
        message: `its ${component.kind} is being deleted since ${deletionTimestamp}, held by ${listed(finalizers)}`,
      }
    const others = stageOf(all).map(titleOf)
    return { state: 'Deleting', message: others.includes(title) ? 'it is deleted next' : `it is deleted after ${listed(others)}` }
  })()
  const known = before.find(({ name }) => name === component.name)
  return { name: component.name, object: title, ...current, since: known?.state === current.state ? (known.since ?? now) : now }
}

function conditionsOf(components: readonly ComponentStatus[], isFailing: boolean): readonly Condition[] {
  const message = components
    .filter(({ state }) => !isFailing || state === 'Failed')
    .map(({ name, message: why = '' }) => `${name}: ${why}`)
    .join('; ')
  return [
    { type: 'ReconcileComplete', status: 'False', reason: isFailing ? failed : inProgress, message },
    { type: 'Available', status: 'False', reason: isFailing ? failed : inProgress, message },
    { type: 'Progressing', status: 'True', reason: isFailing ? failed : inProgress, message },
    { type: 'Degraded', status: isFailing ? 'True' : 'False', reason: isFailing ? failed : inProgress, message },
    { type: 'Upgradeable', status: 'False', reason: isFailing ? failed : inProgress, message },
  ]
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ')
}
