import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '#api/autoscaling/v2/horizontal-pod-autoscaler.ts'
import { horizontalPodAutoscalers as olderAutoscalers } from '#api/autoscaling/v1/resources.ts'
import { horizontalPodAutoscalers } from '#api/autoscaling/v2/resources.ts'
import { ageColumn, columnsOf, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition, TableColumn } from '#apiserver/registry/resource-definition.ts'
import { translateAutoscaler } from './autoscaler-forms.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { storedOnly } from '../stored-only.ts'

function target({ type, resource }: MetricSpec, index: number, measured: readonly MetricStatus[]): string {
  if (type !== 'Resource' || resource === undefined) return `<unknown> (${type})`
  const current = measured[index]?.resource?.current
  const { averageUtilization, averageValue } = resource.target
  if (averageUtilization !== undefined)
    return `${resource.name}: ${current?.averageUtilization ?? '<unknown>'}%/${averageUtilization}%`.replace('<unknown>%', '<unknown>')
  return `${resource.name}: ${current?.averageValue ?? '<unknown>'}/${averageValue ?? ''}`
}

const column = columnsOf<HorizontalPodAutoscaler>()
const columns: readonly TableColumn[] = [
  nameColumn,
  column('Reference', ({ spec }) => `${spec?.scaleTargetRef.kind ?? ''}/${spec?.scaleTargetRef.name ?? ''}`),
  column('Targets', ({ spec, status }) =>
    orNone((spec?.metrics ?? []).map((metric, index) => target(metric, index, status?.currentMetrics ?? [])).join(', ')),
  ),
  column('MinPods', ({ spec }) => String(spec?.minReplicas ?? 1)),
  column('MaxPods', ({ spec }) => spec?.maxReplicas ?? 0, { type: 'integer' }),
  column('Replicas', ({ status }) => status?.currentReplicas ?? 0, { type: 'integer' }),
  ageColumn,
]

/** Both versions of HorizontalPodAutoscaler, stored as v2. */
export function autoscalingDefinitions(): ResourceDefinition[] {
  const common = {
    shortNames: ['hpa'],
    categories: ['all'],
    storageApiVersion: 'autoscaling/v2',
    translate: translateAutoscaler,
    hasStatus: true,
    hasGeneration: true,
    strategy: storedOnly('HorizontalPodAutoscaler', 'workloads keep the replicas that their spec says'),
  }
  const inNewerForm = (shown: TableColumn): TableColumn => ({
    ...shown,
    cell: (object, nowMs) => shown.cell(translateAutoscaler(object, 'autoscaling/v2'), nowMs),
  })
  return [
    defineResource({ ...horizontalPodAutoscalers, ...common, schema: schemaOf(horizontalPodAutoscalers), columns }),
    defineResource({ ...olderAutoscalers, ...common, schema: schemaOf(olderAutoscalers), columns: columns.map(inNewerForm) }),
  ]
}
