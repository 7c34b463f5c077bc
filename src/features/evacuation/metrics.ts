import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { evictionOutcome, type EvictionConfig } from '#features/eviction/index.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { evacuationNames } from './names.ts'

/**
 * Defines the metrics of guests that would block a drain, and of guests that do not leave a node
 * they should leave. Computed from VMIs at each scrape.
 */
export function defineEvacuationMetrics(
  metrics: Pick<Metrics, 'gaugeFrom'>,
  vmis: Pick<Lister<VirtualMachineInstance>, 'list'>,
  config: () => EvictionConfig,
): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_non_evictable',
      help: 'Indication for a VirtualMachine that its eviction strategy is set to Live Migration but is not migratable.',
      labels: ['node', 'namespace', 'name'],
    },
    () =>
      vmis.list().map((vmi) => {
        const { namespace = '', name = '' } = vmi.metadata
        return [{ node: vmi.status?.nodeName ?? '', namespace, name }, evictionOutcome(vmi, config()) === 'block' ? 1 : 0] as const
      }),
  )
  metrics.gaugeFrom(
    {
      name: 'steadyvm_vmi_evacuations_blocked',
      help: 'Guests that block a drain of their node, by reason',
      labels: ['reason'],
    },
    () => {
      const counts = new Map<string, number>()
      for (const { status } of vmis.list()) {
        const { reason = '' } = findCondition(status?.conditions, evacuationNames.blockedCondition) ?? {}
        if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1)
      }
      return [...counts].map(([reason, count]) => [{ reason }, count] as const)
    },
  )
}
