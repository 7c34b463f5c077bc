import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, quote } from '#apimachinery/field-messages.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import { forbiddenField } from '../checks/immutable-field.ts'

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
const alone = 'ReadWriteOncePod'

/** Validates access modes. */
export function validateAccessModes(accessModes: readonly string[] = []): FieldError[] {
  const field = 'spec.accessModes'
  if (accessModes.length === 0)
    return [{ reason: 'FieldValueRequired', field, message: 'Required value: at least 1 access mode is required' }]
  const unknown = accessModes.filter((mode) => !modes.includes(mode))
  return [
    ...unknown.map((mode): FieldError => ({
      reason: 'FieldValueNotSupported',
      field,
      message: `Unsupported value: ${quote(mode)}: supported values: ${modes.map(quote).join(', ')}`,
    })),
    ...(accessModes.includes(alone) && accessModes.length > 1
      ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
  ]
}

/** Validates a volume mode. */
export function validateVolumeMode(mode: string | undefined): FieldError[] {
  if (mode === undefined || mode === 'Filesystem' || mode === 'Block') return []
  const message = `Unsupported value: ${quote(mode)}: supported values: "Block", "Filesystem"`
  return [{ reason: 'FieldValueNotSupported', field: 'spec.volumeMode', message }]
}

/** Validates an amount of storage, which must be positive. */
export function validateStorage(field: string, amount: string | number | undefined): FieldError[] {
  if (amount === undefined) return [{ reason: 'FieldValueRequired', field, message: 'Required value' }]
  return parseQuantity(amount).nanos > 0n ? [] : [invalidValue(field, String(amount), 'must be greater than zero')]
}
