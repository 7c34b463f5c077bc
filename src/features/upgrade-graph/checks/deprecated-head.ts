import type { CheckInput } from './check-input.ts'
import { findingOf, placeOf, type GraphFinding } from './finding.ts'

/** Heads that are deprecated although their channel and package are not. Pure. */
export function deprecatedHeadFindings({ scopes }: CheckInput): readonly GraphFinding[] {
  return scopes.flatMap((scope): readonly GraphFinding[] => {
    const { head, package: owner } = scope
    const channel = owner.channels.find(({ name }) => name === scope.channel)
    if (head?.deprecation === undefined || channel?.deprecation !== undefined || owner.deprecation !== undefined) return []
    return [findingOf('deprecated-head', placeOf(scope), `its newest version ${head.name} is deprecated: ${head.deprecation}`, [head.name])]
  })
}
