import type { Pod } from '#api/core/v1/pod.ts'
import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { names } from '#features/vmi/index.ts'
import { inNamespace, type Finding } from '../finding.ts'
import type { UpgradeWorld } from '../world.ts'

/** Disruption budgets that somebody has made for launcher pods. They keep guests from being moved as little as from being stopped, and stop drains for good. */
export function budgetFindings({ budgets, pods }: UpgradeWorld): Finding[] {
  const launchers = pods.filter(({ metadata }) => metadata.labels?.[names.appLabel] === names.launcherApp)
  return budgets.flatMap((budget) => {
    if (budget.metadata.labels?.[names.createdByLabel] !== undefined) return []
    const selected = launchers.filter((pod) => selects(budget, pod))
    return selected.length === 0 ? [] : budgetFinding(budget, selected, budgets)
  })
}

function selects({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  return metadata.namespace === pod.metadata.namespace && labelSelectorFromObject(spec?.selector).matches(pod.metadata.labels)
}

function budgetFinding(budget: PodDisruptionBudget, selected: readonly Pod[], budgets: readonly PodDisruptionBudget[]): Finding[] {
  const { name = '', namespace = '' } = budget.metadata
  const about = {
    severity: 'warning',
    object: `pdb/${namespace}/${name}`,
    command: `kubectl delete pdb/${name}${inNamespace(namespace)}`,
  } as const
  const { maxUnavailable, minAvailable } = budget.spec ?? {}
  if (maxUnavailable !== undefined || typeof minAvailable === 'string') {
    const what = `The budget counts by share or by what may be missing, and selects ${selected.length} pods of guests`
    const why =
      'How many pods a guest should have is nowhere to be read: the budget allows no eviction, and drains of their nodes never end'
    return [{ ...about, id: 'BudgetCountsInVain', what, why }]
  }
  const twice = selected.filter((pod) => budgets.some((other) => other !== budget && selects(other, pod)))
  if (twice.length === 0) return []
  const what = `${twice.length} pods of guests have this budget and another one`
  return [
    {
      ...about,
      id: 'BudgetsOverlap',
      what,
      why: 'Kubernetes refuses each eviction of a pod that has two budgets, as an error and not as "later"',
    },
  ]
}
