import type { PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, quote } from '#apimachinery/field-messages.ts'
import { validateAnnotations, validateLabels } from '#apimachinery/meta/object-meta-rules.ts'
import { labelSelectorFromObject, SelectorError } from '#apimachinery/selectors/label-selector.ts'
import { oneOf } from '../checks/field-checks.ts'
import { validatePodSpec } from './validate-pod-spec.ts'

/**
 * Validates the selector of a workload against its template. `kind` is used in messages:
 * `deployment`.
 */
export function selectorFaults(
  selector: LabelSelector | undefined,
  template: PodTemplateSpec | undefined,
  kind: string,
): readonly FieldError[] {
  const parts = Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length
  if (parts === 0) return [invalidValue('spec.selector', selector ?? {}, `empty selector is invalid for ${kind}`)]
  try {
    if (labelSelectorFromObject(selector).matches(template?.metadata?.labels ?? {})) return []
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    return [invalidValue('spec.selector', selector, error.message)]
  }
  const labels = Object.entries(template?.metadata?.labels ?? {}).map(([key, value]) => `${quote(key)}:${quote(value)}`)
  const shown = `map[string]string{${labels.toSorted().join(', ')}}`
  const field = 'spec.template.metadata.labels'
  return [{ reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: \`selector\` does not match template \`labels\`` }]
}

/** Validates the pod template at `field`. */
export function templateFaults(template: PodTemplateSpec | undefined, field: string): readonly FieldError[] {
  if (template === undefined) return []
  // Kubernetes' paths of these two lack `metadata`.
  return [
    ...validateLabels(template.metadata?.labels, `${field}.labels`),
    ...validateAnnotations(template.metadata?.annotations, `${field}.annotations`),
    ...(template.spec === undefined ? [] : validatePodSpec(template.spec, `${field}.spec`)),
  ]
}

/** Validates the pod template of a workload that does not terminate. */
export function lastingTemplateFaults(template: PodTemplateSpec | undefined, kind: string): readonly FieldError[] {
  const { restartPolicy = 'Always', activeDeadlineSeconds } = template?.spec ?? {}
  const faults = [...templateFaults(template, 'spec.template')]
  faults.push(...oneOf('spec.template.spec.restartPolicy', restartPolicy, ['Always']))
  if (activeDeadlineSeconds !== undefined) {
    const message = `Forbidden: activeDeadlineSeconds in ${kind} is not Supported`
    faults.push({ reason: 'FieldValueForbidden', field: 'spec.template.spec.activeDeadlineSeconds', message })
  }
  return faults
}
