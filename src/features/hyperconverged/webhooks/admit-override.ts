import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { invalid, type FieldError } from '#apimachinery/errors.ts'
import type { AdmissionAnswer, AdmissionHandler } from '#runtime/webhook/admission-answer.ts'
import type { DryRun } from './dry-run.ts'
import { overrideOf, type OverrideProblem } from '../configuration/overrides/override.ts'

/**
 * Creates the handler that refuses an override which could not be applied, or whose result its
 * component refuses.
 */
export function createOverrideHandler(dryRun: Pick<DryRun, 'override'>, now: () => number): AdmissionHandler {
  return async ({ object, oldObject }: AdmissionRequest): Promise<AdmissionAnswer> => {
    const override = object as ComponentOverride
    const old = (oldObject ?? undefined) as ComponentOverride | undefined
    if (old !== undefined && deepEqual(old.spec, override.spec)) return { allowed: true }
    const { problem } = overrideOf(override, now())
    const { errors, warnings } =
      problem === undefined ? await dryRun.override(override, old) : { errors: [refusalOf(problem)], warnings: [] }
    if (errors.length > 0) return { allowed: false, error: invalid(componentOverrides, override.metadata.name ?? '', errors), warnings }
    return { allowed: true, warnings: [...(override.spec.expiresAt === undefined ? [permanent] : []), ...warnings] }
  }
}

const permanent =
  'spec.expiresAt is not set: the override stays until it is deleted, also when later releases render its component differently'

/** Reports a problem at the field that causes it. Pure. */
export function refusalOf({ reason, message }: OverrideProblem): FieldError {
  return {
    reason: 'FieldValueInvalid',
    field: reason === 'Expired' ? 'spec.expiresAt' : 'spec.patch',
    message: `Invalid value: ${message}`,
  }
}
