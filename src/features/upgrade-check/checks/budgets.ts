import type { Pod } from '#api/core/v1/pod.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { names } from '#features/vmi/index.ts'
import { inNamespace, type Finding } from '../finding.ts'
import type { UpgradeInventory } from '../inventory.ts'

/** A disruption budget with its parsed selector. */
interface Selecting {
  readonly budget: PodDisruptionBudget
  readonly selects: (pod: Pod) => boolean
}

/**
 * Finds users' disruption budgets over launcher pods. They do not protect guests from migrations or
 * stops by the system, and block drains for ever.
 */
export function budgetFindings({ budgets, pods }: UpgradeInventory): Finding[] {
  const launchers = pods.filter(({ metadata }) => metadata.labels?.[names.appLabel] === names.launcherApp)
  const byNamespace = Map.groupBy(launchers, ({ metadata }) => metadata.namespace ?? '')
  const others = budgets.filter(({ metadata }) => metadata.labels?.[names.createdByLabel] === undefined).map(selecting)
  const guarded = new Set(budgets.flatMap(({ metadata }) => metadata.labels?.[names.createdByLabel] ?? []))
  return others.flatMap((one) => {
    const selected = (byNamespace.get(one.budget.metadata.namespace ?? '') ?? []).filter(one.selects)
    const isTwice = (pod: Pod): boolean =>
      guarded.has(pod.metadata.labels?.[names.createdByLabel] ?? '') || others.some((other) => other !== one && other.selects(pod))
    return selected.length === 0 ? [] : budgetFinding(one.budget, selected.length, selected.filter(isTwice).length)
  })
}

function selecting(budget: PodDisruptionBudget): Selecting {
  const selector = labelSelectorFromObject(budget.spec?.selector)
  const { namespace } = budget.metadata
  return { budget, selects: ({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels) }
}

function budgetFinding({ metadata, spec }: PodDisruptionBudget, selected: number, twice: number): Finding[] {
  const { name = '', namespace = '' } = metadata
  const command = `kubectl delete pdb/${name}${inNamespace(namespace)}`
  const about = { severity: 'warning', object: `pdb/${namespace}/${name}`, command } as const
  if (spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string') {
    const what = `The budget counts by share or by what may be missing, and selects ${selected} pods of guests`
    const why =
      'How many pods a guest should have is nowhere to be read: the budget allows no eviction, and drains of their nodes never end'
    return [{ ...about, id: 'BudgetCountsInVain', what, why }]
  }
  if (twice === 0) return []
  const what = `${twice} pods of guests have this budget and another one`
  const why = 'Kubernetes refuses each eviction of a pod that has two budgets, as an error and not as "later"'
  return [{ ...about, id: 'BudgetsOverlap', what, why }]
}
