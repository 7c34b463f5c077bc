import { createHash } from 'node:crypto'

/** Prefix of start revisions, which hold the VM spec that a guest was started from. */
export const startRevisionPrefix = 'revision-start-vm-'

/** Returns the prefix of one VM's start revisions. */
export function startRevisionPrefixOf(vmUid: string): string {
  return `${startRevisionPrefix}${vmUid}-`
}

/**
 * Returns `revision-start-vm-<uid>-<generation>`, as in KubeVirt. A second one of the same
 * generation with other hardware revisions is `revision-start-vm-<uid>-<hash>-<generation>`: data
 * are immutable, and readers parse the generation from the end.
 */
export function startRevisionName(vmUid: string, generation: number, difference?: readonly string[]): string {
  const tag = difference === undefined ? '' : `${createHash('sha256').update(difference.join(' ')).digest('hex').slice(0, 8)}-`
  return `${startRevisionPrefixOf(vmUid)}${tag}${generation}`
}
