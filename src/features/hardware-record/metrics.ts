import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { hardwareNames } from './names.ts'

/**
 * Defines gauges of guests that see changed hardware, or wait for its acceptance. Computed at
 * scrape.
 */
export function defineHardwareMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, vmis: Pick<Lister<VirtualMachineInstance>, 'list'>): void {
  const definition = {
    name: 'steadyvm_vmi_hardware_changed',
    help: 'Guests that see other hardware than at their last start, by why; those that were not started for it are refused',
    labels: ['reason'],
  }
  metrics.gaugeFrom(definition, () => {
    const reasons = vmis.list().map(({ status }) => findCondition(status?.conditions, hardwareNames.changedCondition)?.reason ?? '')
    return [...Map.groupBy(reasons.filter(Boolean), (reason) => reason)].map(([reason, alike]) => [{ reason }, alike.length] as const)
  })
}
