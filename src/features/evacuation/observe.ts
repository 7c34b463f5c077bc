import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { evictionNames } from '#features/eviction/index.ts'
import { names, podsByVmi } from '#features/vmi/index.ts'
import { isCordoned, isTainted, type Guest, type Observed } from './decide.ts'
import { evacuationNames } from './names.ts'
import { askedByNode, evacuationsByNode, markedByNode, migrationsByVmi, vmisByNode, type Ports } from './ports.ts'

/**
 * Looks at a node, and at the guests that are on it or were to leave it. Those that nobody wants to
 * leave, and of whom nobody says so, are left out.
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
  // Only for guests that are to leave, and there are none nearly always.
  const others = guests.length === 0 ? [] : ports.nodes.list().filter(({ metadata }) => metadata.name !== nodeName)
  return { observed: { nodeName, node, others }, guests }
}

/**
 * Of a node that keeps its guests, those that were asked to leave it, or of whom something still
 * says so. Guests write often, and each of their writes is a look at their node.
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

/** Whether a guest says of itself that it is asked to leave, or was. */
export function isMarked({ metadata, status }: VirtualMachineInstance): boolean {
  return (
    (status?.evacuationNodeName ?? '') !== '' ||
    [evictionNames.cordonAnnotation, evictionNames.sourceAnnotation].some((note) => metadata.annotations?.[note] !== undefined) ||
    [evacuationNames.askedCondition, evacuationNames.blockedCondition].some((type) => findCondition(status?.conditions, type) !== undefined)
  )
}
