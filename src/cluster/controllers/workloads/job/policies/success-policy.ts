import type { SuccessPolicy, SuccessPolicyRule } from '#api/batch/v1/job.ts'
import { parseIndexes } from '../indexes/indexes.ts'

/** Returns the place of the first rule that the succeeded indexes meet. Pure. */
export function metRule(policy: SuccessPolicy | undefined, succeeded: ReadonlySet<number>): number | undefined {
  const at = (policy?.rules ?? []).findIndex((rule) => isMet(rule, succeeded))
  return at < 0 ? undefined : at
}

/** Without succeededIndexes all indexes count, without succeededCount all of them must succeed. */
function isMet({ succeededIndexes, succeededCount }: SuccessPolicyRule, succeeded: ReadonlySet<number>): boolean {
  if (succeeded.size === 0) return false
  if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount
  const wanted = parseIndexes(succeededIndexes)
  if (wanted.size === 0) return false
  return wanted.intersection(succeeded).size >= Math.min(succeededCount ?? wanted.size, wanted.size)
}
