import type { VirtualMachineInstancePreset } from '#api/kubevirt/v1/virtual-machine-instance-preset.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { SelectorError } from '#apimachinery/selectors/selector-error.ts'

/** Validates a preset beyond its schema: a selector must select something. */
export function validatePreset({ spec }: VirtualMachineInstancePreset): StatusCause[] {
  try {
    labelSelectorFromObject(spec?.selector ?? {})
    return []
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    return [{ reason: 'FieldValueInvalid', message: error.message, field: 'spec.selector' }]
  }
}
