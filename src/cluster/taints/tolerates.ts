import type { Toleration } from '#api/core/v1/affinity.ts'
import type { Taint } from '#api/core/v1/node.ts'

/** Reports whether a toleration matches a taint. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration
  if (effect !== '' && effect !== taint.effect) return false
  if (key === '') return operator === 'Exists'
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''))
}
