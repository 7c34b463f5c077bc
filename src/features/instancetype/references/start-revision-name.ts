import { createHash } from 'node:crypto'

/** How the names begin of revisions that hold what guests were started from. */
export const startRevisionPrefix = 'revision-start-vm-'

/** How those of one VM begin. */
export function startRevisionPrefixOf(vmUid: string): string {
  return `${startRevisionPrefix}${vmUid}-`
}

/**
 * `revision-start-vm-<uid>-<generation>`, as in KubeVirt. The data of a revision cannot be changed: one of the same generation with other revisions of its hardware is told by what makes it different, `revision-start-vm-<uid>-<hash>-<generation>`. The generation stays last, where it is looked for.
 */
export function startRevisionName(vmUid: string, generation: number, difference?: readonly string[]): string {
  const tag = difference === undefined ? '' : `${createHash('sha256').update(difference.join(' ')).digest('hex').slice(0, 8)}-`
  return `${startRevisionPrefixOf(vmUid)}${tag}${generation}`
}
