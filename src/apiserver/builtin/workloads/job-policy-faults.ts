import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
  SuccessPolicy,
  SuccessPolicyRule,
} from '#api/batch/v1/job.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue } from '#apimachinery/field-messages.ts'
import { notNegative, oneOf, requiredField } from '../checks/field-checks.ts'

const needsIndexes = 'requires indexed completion mode'

/** Validates when a Job fails or succeeds before all of its pods have: its policies and limits. */
export function jobPolicyFaults(spec: JobSpec): readonly FieldError[] {
  const { completions, completionMode, backoffLimitPerIndex, maxFailedIndexes, podFailurePolicy, successPolicy } = spec
  const isIndexed = completionMode === 'Indexed'
  const limits = { backoffLimitPerIndex, maxFailedIndexes }
  const set = Object.entries(limits).filter(([, value]) => value !== undefined)
  const isTooMany = maxFailedIndexes !== undefined && completions !== undefined && maxFailedIndexes > completions
  return [
    ...Object.entries(limits).flatMap(([field, value]) => notNegative(`spec.${field}`, value)),
    ...(maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined
      ? [requiredField('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified')]
      : []),
    ...(isIndexed ? [] : set.map(([field, value]) => invalidValue(`spec.${field}`, value, needsIndexes))),
    ...(isIndexed && isTooMany
      ? [invalidValue('spec.maxFailedIndexes', maxFailedIndexes, 'must be less than or equal to completions')]
      : []),
    ...(podFailurePolicy?.rules ?? []).flatMap((rule, at) => failureRuleFaults(spec, rule, `spec.podFailurePolicy.rules[${at}]`)),
    ...(successPolicy === undefined ? [] : successFaults(successPolicy, isIndexed, completions ?? 0)),
  ]
}

/** Validates the other fields that a podFailurePolicy restricts. */
export function restrictedByPolicyFaults({ podFailurePolicy, podReplacementPolicy, template }: JobSpec): readonly FieldError[] {
  if (podFailurePolicy === undefined) return []
  const { restartPolicy } = template?.spec ?? {}
  const why = 'only "Never" is supported when podFailurePolicy is specified'
  return [
    ...(podReplacementPolicy === undefined ? [] : oneOf('spec.podReplacementPolicy', podReplacementPolicy, ['Failed'])),
    ...(restartPolicy === 'OnFailure' ? [invalidValue('spec.template.spec.restartPolicy', restartPolicy, why)] : []),
  ]
}

function failureRuleFaults(spec: JobSpec, rule: PodFailurePolicyRule, field: string): readonly FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule
  const isBoth = onExitCodes !== undefined && onPodConditions.length > 0
  const isNeither = onExitCodes === undefined && onPodConditions.length === 0
  const invalid = (why: string): FieldError => ({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${why}` })
  const lacksLimit = action === 'FailIndex' && spec.backoffLimitPerIndex === undefined
  return [
    ...(lacksLimit ? [invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set')] : []),
    ...oneOf(`${field}.action`, action, ['Count', 'FailIndex', 'FailJob', 'Ignore']),
    ...(onExitCodes === undefined ? [] : exitCodeFaults(spec, onExitCodes, `${field}.onExitCodes`)),
    ...onPodConditions.flatMap(({ status }, at) => oneOf(`${field}.onPodConditions[${at}].status`, status, ['False', 'True', 'Unknown'])),
    ...(isBoth ? [invalid('specifying both OnExitCodes and OnPodConditions is not supported')] : []),
    ...(isNeither ? [invalid('specifying one of OnExitCodes and OnPodConditions is required')] : []),
  ]
}

function exitCodeFaults(spec: JobSpec, requirement: PodFailurePolicyOnExitCodesRequirement, field: string): readonly FieldError[] {
  const { containerName, operator, values } = requirement
  const { containers, initContainers = [] } = spec.template.spec
  const isUnknown = containerName !== undefined && ![...containers, ...initContainers].some(({ name }) => name === containerName)
  const isOrdered = values.every((value, at) => at === 0 || (values[at - 1] ?? 0) <= value)
  return [
    ...oneOf(`${field}.operator`, operator, ['In', 'NotIn']),
    ...(isUnknown
      ? [invalidValue(`${field}.containerName`, containerName, 'must be one of the container or initContainer names in the pod template')]
      : []),
    ...(values.length === 0 ? [invalidValue(`${field}.values`, values, 'at least one value is required')] : []),
    ...values.flatMap((value, at) => [
      ...(operator === 'In' && value === 0 ? [invalidValue(`${field}.values[${at}]`, value, 'must not be 0 for the In operator')] : []),
      ...(values.indexOf(value) < at ? [duplicateValue(`${field}.values[${at}]`, value)] : []),
    ]),
    ...(isOrdered ? [] : [invalidValue(`${field}.values`, values, 'must be ordered')]),
  ]
}

function successFaults(policy: SuccessPolicy, isIndexed: boolean, completions: number): readonly FieldError[] {
  const field = 'spec.successPolicy'
  if (!isIndexed) return [invalidValue(field, policy, needsIndexes)]
  const { rules } = policy
  if (rules.length === 0)
    return [requiredField(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified')]
  return rules.flatMap((rule, at) => successRuleFaults(rule, completions, `${field}.rules[${at}]`))
}

function successRuleFaults(
  { succeededCount, succeededIndexes }: SuccessPolicyRule,
  completions: number,
  field: string,
): readonly FieldError[] {
  if (succeededCount === undefined && succeededIndexes === undefined)
    return [requiredField(field, 'at least one of succeededCount or succeededIndexes must be specified')]
  const named = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions)
  const count = `${field}.succeededCount`
  return [
    ...(typeof named === 'string'
      ? [invalidValue(`${field}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${named}`)]
      : []),
    ...notNegative(count, succeededCount),
    ...(succeededCount !== undefined && succeededCount > completions
      ? [invalidValue(count, succeededCount, `must be less than or equal to ${completions} (the number of specified completions)`)]
      : []),
    ...(succeededCount !== undefined && typeof named === 'number' && succeededCount > named
      ? [
          invalidValue(
            count,
            succeededCount,
            `must be less than or equal to ${named} (the number of indexes in the specified succeededIndexes field)`,
          ),
        ]
      : []),
  ]
}

/** Returns how many indexes `1,3-5` names, or why it names none. */
function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0
  let last = -1
  let total = 0
  for (const part of text.split(',')) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part)
    if (range === null) return `cannot convert string to integer for index: ${JSON.stringify(part)}`
    const [from, to] = [Number(range[1]), Number(range[2] ?? range[1])]
    if (to >= completions) return `too large index: ${JSON.stringify(String(to))}`
    if (from <= last || (range[2] !== undefined && from >= to))
      return `non-increasing order, previous: ${Math.max(last, from)}, current: ${to}`
    total += to - from + 1
    last = to
  }
  return total
}
