import type { Node } from '#api/core/v1/node.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { ageColumn, columnsOf, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import type { TableColumn } from '#apiserver/registry/resource-definition.ts'

const rolePrefix = 'node-role.kubernetes.io/'

function statusText({ status, spec }: Node): string {
  const ready = findCondition(status?.conditions, 'Ready')
  const health = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable === true ? `${health},SchedulingDisabled` : health
}

function roles({ metadata }: Node): string {
  const labels = Object.entries(metadata?.labels ?? {})
  const named = labels.filter(([key]) => key.startsWith(rolePrefix)).map(([key]) => key.slice(rolePrefix.length))
  const valued = labels.filter(([key, value]) => key === 'kubernetes.io/role' && value !== '').map(([, value]) => value)
  return orNone([...new Set([...named, ...valued])].toSorted().join(','))
}

function address({ status }: Node, type: string): string {
  return orNone(status?.addresses?.find((each) => each.type === type)?.address)
}

function orUnknown(text: string | undefined): string {
  return text === undefined || text === '' ? '<unknown>' : text
}

const column = columnsOf<Node>()
const wide = { priority: 1 }

/** Columns of `kubectl get nodes`. */
export const nodeColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', statusText),
  column('Roles', roles),
  ageColumn,
  column('Version', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
  column('Internal-IP', (node) => address(node, 'InternalIP'), wide),
  column('External-IP', (node) => address(node, 'ExternalIP'), wide),
  column('OS-Image', ({ status }) => orUnknown(status?.nodeInfo?.osImage), wide),
  column('Kernel-Version', ({ status }) => orUnknown(status?.nodeInfo?.kernelVersion), wide),
  column('Container-Runtime', ({ status }) => orUnknown(status?.nodeInfo?.containerRuntimeVersion), wide),
]
