import type { ComponentCondition, ComponentStatus } from '#api/hco/v1/status.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { rolloutOf } from './rollout.ts'
import type { Outcome } from '../../reconcile/act.ts'
import type { ComponentObject } from '../../reconcile/observe.ts'

/** State of a component in one word. */
export type ComponentState = 'Ready' | 'Progressing' | 'NotAvailable' | 'Degraded' | 'Failed' | 'Absent' | 'NotWanted'

/** State of a component without the time since which it has it. */
export type CurrentState = Omit<ComponentStatus, 'state' | 'since' | 'overwritten'> & {
  readonly state: ComponentState
  /** False if the component says that it must not be upgraded now. */
  readonly isUpgradeable: boolean
}

/** Message of a component whose object the operator deletes. */
export const removalMessage = 'its object is being deleted, since nothing asks for it'

/** Status of each condition of a component that is ready. */
const readyConditions = { Available: 'True', Progressing: 'False', Degraded: 'False' } as const

/** Reads the state of a component from the outcome of a pass. Pure. */
export function stateOf({ decision, written, error }: Outcome): CurrentState {
  const { observed, step, problems } = decision
  const { component, present } = observed
  const object = written ?? present
  const base = {
    name: component.name,
    ...(object === undefined ? {} : { object: `${component.kind}/${object.metadata?.name ?? ''}` }),
    ...versionsOf(object),
    isUpgradeable: findCondition(object?.status?.conditions, 'Upgradeable')?.status !== 'False',
  }
  if (error !== undefined) return { ...base, state: 'Failed', message: error }
  const [problem] = problems
  if (problem !== undefined)
    return { ...base, state: 'Failed', message: problems.map(({ field, message }) => `${field} ${message}`).join('; ') }
  switch (step.kind) {
    case 'absent':
      return {
        ...base,
        state: 'Absent',
        message: step.why ?? `no ${component.kind} of ${component.group}/${component.versions.join(' or ')} is installed`,
      }
    case 'not-wanted':
      return { ...base, state: 'NotWanted' }
    case 'wait':
      return { ...base, state: 'Progressing', message: step.why }
    case 'remove':
      return { ...base, state: 'Progressing', message: removalMessage }
    case 'replace':
      return { ...base, state: 'Progressing', message: 'its object is replaced, since its spec cannot be changed' }
    case 'keep':
    case 'apply':
      if (component.reports === false) return { ...base, state: 'Ready' }
      if (component.isRolledOut === true) return { ...base, ...rolloutState(object) }
      return { ...base, ...ownState(object, step.kind === 'apply') }
  }
}

/**
 * A workload has the version in which it was deployed: the platform is available without it.
 */
function rolloutState(object: ComponentObject | undefined): Pick<CurrentState, 'state' | 'message' | 'version'> {
  const { isReady, message } = rolloutOf(object ?? {})
  const version = object?.metadata?.labels?.['app.kubernetes.io/version'] ?? ''
  return isReady ? { state: 'Ready', version } : { state: 'Progressing', message, version }
}

/** What the component says of itself. */
function ownState(object: ComponentObject | undefined, isChanged: boolean): Pick<CurrentState, 'state' | 'message' | 'conditions'> {
  const all = object?.status?.conditions ?? []
  const conditions = Object.entries(readyConditions).flatMap(([type, wanted]): ComponentCondition[] => {
    const found = findCondition(all, type)
    if (found === undefined || found.status === wanted) return []
    const { status, reason, message } = found
    return [{ type, status, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }]
  })
  const has = (type: string, status: string): boolean => findCondition(all, type)?.status === status
  const messages = conditions.flatMap(({ message = '' }) => (message === '' ? [] : [message]))
  const report = (state: ComponentState, otherwise: string): Pick<CurrentState, 'state' | 'message' | 'conditions'> => ({
    state,
    ...(conditions.length === 0 ? {} : { conditions }),
    message: messages.length === 0 ? otherwise : [...new Set(messages)].join('; '),
  })
  if (all.length === 0) return report('Progressing', 'it has not reported yet')
  const isAvailable = has('Available', 'True')
  // A component that is being updated reports all three at once: it is available and progresses.
  if (has('Progressing', 'True') && isAvailable) return report('Progressing', 'it is being updated')
  if (has('Degraded', 'True')) return report('Degraded', 'it is degraded')
  if (has('Progressing', 'True')) return report('Progressing', 'it is being installed')
  if (!isAvailable) return report('NotAvailable', 'it is not available')
  const { observedGeneration } = object?.status ?? {}
  const isBehind = observedGeneration !== undefined && observedGeneration < (object?.metadata?.generation ?? 0)
  if (isChanged || isBehind) return report('Progressing', 'it has not acted on the last change yet')
  return { state: 'Ready' }
}

function versionsOf(object: ComponentObject | undefined): Pick<ComponentStatus, 'version' | 'targetVersion'> {
  const { observedVersion, targetVersion, observedKubeVirtVersion, targetKubeVirtVersion } = object?.status ?? {}
  const version = observedVersion ?? observedKubeVirtVersion
  const target = targetVersion ?? targetKubeVirtVersion
  return {
    ...(version === undefined ? {} : { version }),
    ...(target === undefined || target === version ? {} : { targetVersion: target }),
  }
}
