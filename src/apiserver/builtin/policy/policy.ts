import type { PodDisruptionBudget } from '#api/policy/v1/pod-disruption-budget.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import { ageColumn, columnsOf, nameColumn } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { podDisruptionBudgetStrategy } from './pod-disruption-budget-strategy.ts'

const unset = 'N/A'

/** Resources of `policy/v1`. */
export function policyDefinitions(): ResourceDefinition[] {
  const column = columnsOf<PodDisruptionBudget>()
  return [
    defineResource({
      ...podDisruptionBudgets,
      shortNames: ['pdb'],
      schema: schemaOf(podDisruptionBudgets),
      hasStatus: true,
      hasGeneration: true,
      unconditionalUpdate: false,
      strategy: podDisruptionBudgetStrategy,
      columns: [
        nameColumn,
        column('Min Available', ({ spec }) => String(spec?.minAvailable ?? unset)),
        column('Max Unavailable', ({ spec }) => String(spec?.maxUnavailable ?? unset)),
        column('Allowed Disruptions', ({ status }) => status?.disruptionsAllowed ?? 0, { type: 'integer' }),
        ageColumn,
      ],
    }),
  ]
}
