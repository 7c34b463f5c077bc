import { podsByVmi } from '#features/vmi/index.ts'
import type { Guest, Observed } from './decide.ts'
import { migrationsByVmi, vmisByNode, type Ports } from './ports.ts'

/** Looks at a node, and at the guests that are on it or were to leave it. */
export function observe(ports: Ports, nodeName: string): { readonly observed: Observed; readonly guests: readonly Guest[] } {
  const others = ports.nodes.list().filter(({ metadata }) => metadata.name !== nodeName)
  const guests = ports.vmis.byIndex(vmisByNode, nodeName).map((vmi) => {
    const launchers = ports.pods.byIndex(podsByVmi, vmi.metadata.uid ?? '')
    const pods = launchers.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    return {
      vmi,
      migrations: ports.migrations.byIndex(migrationsByVmi, `${vmi.metadata.namespace}/${vmi.metadata.name}`),
      pods: pods.length,
      launcher: pods.find(({ spec }) => spec.nodeName !== undefined && spec.nodeName === vmi.status?.nodeName),
    }
  })
  return { observed: { nodeName, node: ports.nodes.get('', nodeName), others }, guests }
}
