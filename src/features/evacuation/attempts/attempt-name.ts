import { createHash } from 'node:crypto'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'

/**
 * Returns the name of a guest's next migration. Derived from earlier migrations, so that a
 * controller that was killed, or has a stale cache, does not create a second one.
 */
export function attemptName(prefix: string, { metadata }: KubeObject, migrations: readonly KubeObject[]): string {
  const before = migrations.map((migration) => migration.metadata?.uid ?? '').toSorted()
  const suffix = createHash('sha256')
    .update([metadata?.uid ?? '', ...before].join('/'))
    .digest('hex')
  return `${prefix}${suffix.slice(0, 10)}`
}
