import type { CheckInput } from './check-input.ts'
import { findingOf, type GraphFinding } from './finding.ts'

/** Rules of opm that the catalog breaks. Pure. */
export function catalogRuleFindings({ problems }: CheckInput): readonly GraphFinding[] {
  return problems.map((problem) => findingOf(problem.id, problem, problem.what))
}
