import { StatusError } from '#apimachinery/errors.ts'
import type { FieldConflict } from '#apimachinery/fields/ownership.ts'
import { printPath } from '#apimachinery/fields/path-element.ts'
import { parseIdentity } from './ownership-codec.ts'

function printManager(identity: string): string {
  const { manager, operation, apiVersion, subresource } = parseIdentity(identity)
  const name = `${JSON.stringify(manager)}${subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`}`
  return operation === 'Update' ? `${name} using ${apiVersion ?? ''}` : name
}

function messageOf(conflicts: readonly FieldConflict[]): string {
  const [first] = conflicts
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first.manager)}: ${printPath(first.path)}`
  }
  const lines: string[] = []
  for (const manager of new Set(conflicts.map((conflict) => conflict.manager))) {
    lines.push(`conflicts with ${printManager(manager)}:`)
    for (const { path } of conflicts.filter((conflict) => conflict.manager === manager)) lines.push(`- ${printPath(path)}`)
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}

/** 409 with one cause per field and manager, which clients show with an offer to force. */
export function applyConflict(conflicts: readonly FieldConflict[], cause: unknown): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printManager(manager)}`,
    field: printPath(path),
  }))
  return new StatusError(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: messageOf(conflicts),
      reason: 'Conflict',
      details: { causes },
      code: 409,
    },
    { cause },
  )
}
