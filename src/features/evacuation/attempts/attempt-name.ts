import { createHash } from 'node:crypto'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/**
 * Name of the next migration of a guest. It follows from those that there have been: a controller
 * that has crashed, or looks at an old cache, asks for the same one again and not for a second.
 */
export function attemptName(prefix: string, { metadata }: KubeObject, migrations: readonly KubeObject[]): string {
  const before = migrations.map((migration) => migration.metadata?.uid ?? '').toSorted()
  const suffix = createHash('sha256')
    .update([metadata?.uid ?? '', ...before].join('/'))
    .digest('hex')
  return `${prefix}${suffix.slice(0, 10)}`
}
