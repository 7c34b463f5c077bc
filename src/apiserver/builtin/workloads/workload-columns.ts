import type { PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { columnsOf, orNone } from '#apiserver/registry/columns.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

interface Workload extends KubeObject {
  spec?: { selector?: LabelSelector; template?: PodTemplateSpec; jobTemplate?: { spec?: { template?: PodTemplateSpec } } }
}

const column = columnsOf<Workload>()
const wide = { priority: 1 } as const

function containersOf({ spec }: Workload): NonNullable<PodTemplateSpec['spec']['containers']> {
  return (spec?.template ?? spec?.jobTemplate?.spec?.template)?.spec?.containers ?? []
}

/** Names and images of containers, for `-o wide`. */
export const containerColumns: readonly TableColumn[] = [
  column(
    'Containers',
    (workload) =>
      containersOf(workload)
        .map(({ name }) => name)
        .join(','),
    wide,
  ),
  column(
    'Images',
    (workload) =>
      containersOf(workload)
        .map(({ image }) => image ?? '')
        .join(','),
    wide,
  ),
]

/** Selector of a workload, for `-o wide`. */
export const selectorColumn: TableColumn = column(
  'Selector',
  ({ spec }) => orNone(labelSelectorFromObject(spec?.selector ?? {}).toString()),
  wide,
)
