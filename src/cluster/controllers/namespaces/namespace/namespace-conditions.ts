import { setCondition } from '#apimachinery/conditions.ts'
import type { NamespaceCondition } from '#api/core/v1/namespace.ts'
import type { Remainder } from './namespace-content.ts'

/** Result of one pass over the content of a namespace. */
export interface Progress {
  readonly remainders: readonly Remainder[]
  /** `pods: why`, for resources that could not be emptied. */
  readonly failures: readonly string[]
}

/**
 * Conditions that tell what keeps a namespace from vanishing. The very same list when nothing has
 * changed. Pure.
 */
export function namespaceConditions(old: readonly NamespaceCondition[] | undefined, progress: Progress, now: string): NamespaceCondition[] {
  const finalizers = new Map<string, number>()
  for (const one of progress.remainders)
    for (const [name, count] of one.finalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + count)
  const verdicts: NamespaceCondition[] = [
    // We ask our own registry: there is nothing to discover, and nothing to misread.
    verdict(
      'NamespaceDeletionDiscoveryFailure',
      [],
      ['DiscoveryFailed', (texts) => `Discovery failed for some groups: ${texts.join(', ')}`],
      ['ResourcesDiscovered', 'All resources successfully discovered'],
    ),
    verdict(
      'NamespaceDeletionGroupVersionParsingFailure',
      [],
      ['GroupVersionParsingFailed', (texts) => texts.join(', ')],
      ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    ),
    verdict(
      'NamespaceDeletionContentFailure',
      progress.failures,
      ['ContentDeletionFailed', (texts) => `Failed to delete all resource types, ${texts.length} remaining: ${texts.join(', ')}`],
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    verdict(
      'NamespaceContentRemaining',
      progress.remainders.map(({ resource, count }) => `${resource} has ${count} resource instances`),
      ['SomeResourcesRemain', (texts) => `Some resources are remaining: ${texts.join(', ')}`],
      ['ContentRemoved', 'All content successfully removed'],
    ),
    verdict(
      'NamespaceFinalizersRemaining',
      [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).toSorted(),
      ['SomeFinalizersRemain', (texts) => `Some content in the namespace has finalizers remaining: ${texts.join(', ')}`],
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ),
  ]
  return verdicts.reduce<NamespaceCondition[]>((list, condition) => setCondition(list, condition, now), (old ?? []) as NamespaceCondition[])
}

function verdict(
  type: string,
  problems: readonly string[],
  bad: readonly [reason: string, message: (problems: readonly string[]) => string],
  good: readonly [reason: string, message: string],
): NamespaceCondition {
  if (problems.length === 0) return { type, status: 'False', reason: good[0], message: good[1] }
  return { type, status: 'True', reason: bad[0], message: bad[1](problems.toSorted()) }
}
