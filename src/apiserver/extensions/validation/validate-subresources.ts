import type { CustomResourceSubresources } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue } from '#apimachinery/field-messages.ts'

/** Validates the paths of the scale subresource. */
export function validateSubresources(subresources: CustomResourceSubresources | undefined, field: string): FieldError[] {
  const { scale } = subresources ?? {}
  if (scale === undefined || scale === null) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale
  return [
    ...requirePath(specReplicasPath, ['.spec'], `${field}.scale.specReplicasPath`),
    ...requirePath(statusReplicasPath, ['.status'], `${field}.scale.statusReplicasPath`),
    ...(labelSelectorPath === '' ? [] : validatePath(labelSelectorPath, ['.spec', '.status'], `${field}.scale.labelSelectorPath`)),
  ]
}

function requirePath(path: string | undefined, roots: readonly string[], field: string): FieldError[] {
  return path === undefined || path === '' ? [requiredValue(field)] : validatePath(path, roots, field)
}

function validatePath(path: string, roots: readonly string[], field: string): FieldError[] {
  if (!path.startsWith('.')) return [invalidValue(field, path, 'must be a simple json path starting with .')]
  if (!roots.some((root) => path.startsWith(`${root}.`))) {
    return [invalidValue(field, path, `should be a json path under ${roots.length > 1 ? 'either ' : ''}${roots.join(' or ')}`)]
  }
  return /^(\.[^.[\]]+)+$/.test(path) ? [] : [invalidValue(field, path, 'must be a json path in the dot notation')]
}
