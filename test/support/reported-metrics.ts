import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './machine.ts'

/** Returns the names of all metrics, from the list that is generated from the sources. */
export function reportedMetrics(): ReadonlySet<string> {
  const list = readFileSync(join(repository, 'docs', 'reference', 'metrics.md'), 'utf8')
  return new Set([...list.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name ?? ''))
}
