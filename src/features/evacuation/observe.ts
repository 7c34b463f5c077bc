import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { evictionNames } from '#features/eviction/index.ts'
import { names, podsByVmi } from '#features/vmi/index.ts'
import { isCordoned, isTainted, type Guest, type Observed } from './decide.ts'
import { evacuationNames } from './names.ts'
import { askedByNode, evacuationsByNode, markedByNode, migrationsByVmi, vmisByNode, type Ports } from './ports.ts'

/**
 * Reads a node, and the guests that are on it or were marked to leave it. Guests without mark on a
 * node that is not drained are left out.
 */
export function observe(ports: Ports, nodeName: string): { readonly observed: Observed; readonly guests: readonly Guest[] } {
  const node = ports.nodes.get('', nodeName)
  const isEmptied = node === undefined || isCordoned(node) || isTainted(node)
  const guests = (isEmptied ? ports.vmis.byIndex(vmisByNode, nodeName) : concernedOn(ports, nodeName)).map((vmi) => {
    const launchers = ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')
    const pods = launchers.filter((pod) => !isPodTerminal(pod))
    return {
      vmi,
      migrations: ports.migrations.byIndex(migrationsByVmi, `${vmi.metadata.namespace}/${vmi.metadata.name}`),
      pods: pods.length,
      launcher: pods.find(({ spec }) => spec.nodeName !== undefined && spec.nodeName === vmi.status?.nodeName),
    }
  })
  // Nodes are listed only when a guest is affected, which is rare.
  const others = guests.length === 0 ? [] : ports.nodes.list().filter(({ metadata }) => metadata.name !== nodeName)
  return { observed: { nodeName, node, others }, guests }
}

/**
 * On a node that is not drained, returns only guests with a mark or a leftover of one: each update
 * of a guest requeues its node.
 */
function concernedOn({ vmis, pods, migrations }: Ports, nodeName: string): readonly VirtualMachineInstance[] {
  const evacuated = migrations
    .byIndex(evacuationsByNode, nodeName)
    .flatMap(({ metadata, spec }) => vmis.get(metadata.namespace ?? '', spec.vmiName ?? '') ?? [])
  const asked = pods
    .byIndex(askedByNode, nodeName)
    .flatMap(({ metadata }) => vmis.get(metadata.namespace ?? '', metadata.annotations?.[names.domainAnnotation] ?? '') ?? [])
  const here = [...evacuated, ...asked].filter(({ status }) => [status?.nodeName, status?.evacuationNodeName].includes(nodeName))
  return [...new Set([...vmis.byIndex(markedByNode, nodeName), ...here])]
}

/** Reports whether the VMI is marked to leave its node, or still has traces of a mark. */
export function isMarked({ metadata, status }: VirtualMachineInstance): boolean {
  return (
    (status?.evacuationNodeName ?? '') !== '' ||
    [evictionNames.cordonAnnotation, evictionNames.sourceAnnotation].some((note) => metadata.annotations?.[note] !== undefined) ||
    [evacuationNames.askedCondition, evacuationNames.blockedCondition].some((type) => findCondition(status?.conditions, type) !== undefined)
  )
}
