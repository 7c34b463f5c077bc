import type { PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement, PodFailurePolicyRule } from '#api/batch/v1/job.ts'
import type { Pod } from '#api/core/v1/pod.ts'

/** What the failure of a pod means for its Job. */
export interface FailureVerdict {
  readonly action: 'Count' | 'Ignore' | 'FailIndex' | 'FailJob'
  /** Says which rule matched and why. */
  readonly message: string
}

/** Judges a failed pod by the first rule that matches; without one, its failure counts. Pure. */
export function judgeFailure(policy: PodFailurePolicy | undefined, pod: Pod): FailureVerdict {
  for (const [at, rule] of (policy?.rules ?? []).entries()) {
    const cause = matchOf(rule, pod)
    if (cause !== undefined)
      return { action: rule.action as FailureVerdict['action'], message: `${cause} matching ${rule.action} rule at index ${at}` }
  }
  return { action: 'Count', message: '' }
}

function matchOf({ onExitCodes, onPodConditions = [] }: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
  const pod = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
  if (onExitCodes === undefined) {
    const met = status?.conditions?.find((one) =>
      onPodConditions.some(({ type, status: is = 'True' }) => one.type === type && one.status === is),
    )
    return met === undefined ? undefined : `Pod ${pod} has condition ${met.type}`
  }
  for (const { name, state } of [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]) {
    const exitCode = state?.terminated?.exitCode ?? 0
    if (exitCode !== 0 && matchesExitCode(onExitCodes, name, exitCode))
      return `Container ${name} for pod ${pod} failed with exit code ${exitCode}`
  }
  return undefined
}

function matchesExitCode(requirement: PodFailurePolicyOnExitCodesRequirement, container: string, exitCode: number): boolean {
  const { containerName = container, operator, values } = requirement
  return containerName === container && values.includes(exitCode) === (operator === 'In')
}
