import type { KubeVirt, KubeVirtCondition } from '#api/kubevirt/v1/kubevirt.ts'
import { setCondition } from '#apimachinery/conditions.ts'

/** What is to be said about a system that goes. */
export interface UninstallReport {
  readonly phase: 'Deleting' | 'Deleted'
  readonly message: string
  /** What went wrong; undefined when nothing did. */
  readonly failure?: string
}

/** The fields of the status that change; undefined when they are so already. Pure. */
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
  // An upgrade that was under way is none any more.
  return { phase, conditions, observedGeneration: metadata.generation ?? 0, steadyvm: { upgrade: null, rejected: null, plan: null } }
}
