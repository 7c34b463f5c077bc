import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { updateNames } from './names.ts'

/**
 * Defines the metric of guests that wait for an update, by reason. Computed from VMIs at each
 * scrape.
 */
export function defineUpdateMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, vmis: Pick<Lister<VirtualMachineInstance>, 'list'>): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmi_number_of_outdated',
      help: 'Indication for the total number of VirtualMachineInstance workloads that are not running within the most up-to-date version of the launcher environment.',
    },
    () => [[{}, vmis.list().filter(({ metadata }) => metadata.labels?.[updateNames.outdatedLabel] !== undefined).length]],
  )
  metrics.gaugeFrom({ name: 'steadyvm_vmi_updates_pending', help: 'Guests that wait for an update, by reason', labels: ['reason'] }, () => {
    const reasons = vmis.list().map(({ status }) => findCondition(status?.conditions, updateNames.pendingCondition)?.reason ?? '')
    return [...Map.groupBy(reasons.filter(Boolean), (reason) => reason)].map(([reason, alike]) => [{ reason }, alike.length] as const)
  })
}
