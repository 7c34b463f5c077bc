import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'

/** On content: the revisions that it has named and that may be dropped, as a JSON list. */
export const givenUpAnnotation = 'steadyvm.io/given-up'

/** On a revision: content and its resourceVersion at the last touch. */
export const touchedAnnotation = 'steadyvm.io/taken-for'

/**
 * Returns the replaced revisions of content. A malformed list counts as empty: they are replaced
 * again.
 */
export function replacedRevisionsIn({ metadata }: VirtualMachineSnapshotContent): readonly string[] {
  try {
    const names: unknown = JSON.parse(metadata.annotations?.[givenUpAnnotation] ?? '[]')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}
