import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Host } from './host.ts'

/** Defines KubeVirt's metric of machine types that guests should not be started with any more. */
export function defineMachineTypeMetrics(
  metrics: Pick<Metrics, 'gaugeFrom'>,
  { host, nodeName: node }: { readonly host: Pick<Host, 'deprecatedMachineTypes'>; readonly nodeName: string },
): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_node_deprecated_machine_types',
      help: 'List of deprecated machine types based on the capabilities of individual nodes, as detected by virt-handler.',
      labels: ['machine_type', 'node'],
    },
    () => host.deprecatedMachineTypes.map((machine_type) => [{ machine_type, node }, 1] as const),
  )
}
