import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'

/** On content: the revisions that it has named and that may be dropped, as a JSON list. */
export const givenUpAnnotation = 'steadyvm.io/given-up'

/** On a revision: for which state of which content it was last taken. */
export const touchedAnnotation = 'steadyvm.io/taken-for'

/**
 * The revisions that content has given up. What is no list counts as none: they are given up again.
 */
export function replacedRevisionsIn({ metadata }: VirtualMachineSnapshotContent): readonly string[] {
  try {
    const names: unknown = JSON.parse(metadata.annotations?.[givenUpAnnotation] ?? '[]')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}
