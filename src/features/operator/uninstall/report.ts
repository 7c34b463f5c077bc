import type { KubeVirt, KubeVirtCondition } from '#api/kubevirt/v1/kubevirt.ts'
import { setCondition } from '#apimachinery/conditions.ts'

/** Inputs of the status of a KubeVirt object that is being deleted. */
export interface UninstallReport {
  readonly phase: 'Deleting' | 'Deleted'
  readonly message: string
  /** The last error; undefined without one. */
  readonly failure?: string
}

/** Returns the changed status fields, or undefined when nothing changes. Pure. */
export function uninstallStatus({ status = {}, metadata }: KubeVirt, report: UninstallReport, now: string): object | undefined {
  const { phase, message, failure } = report
  const reason = 'DeletionInProgress'
  const wanted: readonly KubeVirtCondition[] = [
    { type: 'Created', status: 'False', reason, message },
    { type: 'Available', status: 'False', reason, message },
    { type: 'Progressing', status: 'False', reason, message },
    { type: 'Degraded', status: 'True', reason, message },
    failure === undefined
      ? { type: 'Synchronized', status: 'True', reason: 'AsExpected', message: 'All that is asked for was done.' }
      : { type: 'Synchronized', status: 'False', reason: 'DeletionFailed', message: failure },
  ]
  let conditions: readonly KubeVirtCondition[] = status.conditions ?? []
  for (const condition of wanted) conditions = setCondition(conditions, condition, now)
  if (status.phase === phase && conditions === status.conditions) return undefined
  // An uninstallation ends an upgrade that was under way.
  return { phase, conditions, observedGeneration: metadata.generation ?? 0, steadyvm: { upgrade: null, rejected: null, plan: null } }
}
