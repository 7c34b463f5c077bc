import type { CheckInput } from './check-input.ts'
import { findingOf, type GraphFinding } from './finding.ts'

/** Fields and objects that opm ignores. Pure. */
export function ignoredPartFindings({ ignored }: CheckInput): readonly GraphFinding[] {
  return ignored.map(({ place, object, what, package: owner }) =>
    findingOf('ignored-part', { package: owner, object }, `${place}: ${what}`),
  )
}
