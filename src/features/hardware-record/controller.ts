import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import type { Client } from '#client/client.ts'
import { createInformer } from '#runtime/cache/informer.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { ControllerMetricsFactory } from '#runtime/controller/controller-metrics.ts'
import { createController } from '#runtime/controller/controller.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Logger } from '#runtime/process/log.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import type { Random } from '#runtime/process/random.ts'
import { defineHardwareMetrics } from './metrics.ts'
import { createHardwareSummaryReconciler } from './reconciler.ts'

/** Dependencies of the controller. */
export interface HardwareSummaryOptions {
  readonly client: Client
  readonly informers: InformerSet
  readonly clock: Clock
  readonly log: Logger
  /** Jitters watch renewals. */
  readonly random: Random
  readonly metrics?: ControllerMetricsFactory
  /** Registry for gauges of guests with changed hardware. Default: none. */
  readonly gauges?: Pick<Metrics, 'gaugeFrom'>
}

/**
 * Creates the controller that copies a summary of the HardwareRecord to the VM's status. It has a
 * cache of its own: a cluster that does not serve HardwareRecords must not block other controllers.
 */
export function createHardwareSummaryController({
  client,
  informers,
  clock,
  log,
  random,
  metrics,
  gauges,
}: HardwareSummaryOptions): Runnable {
  const vms = informers.informer(virtualMachines)
  const vmis = informers.informer<VirtualMachineInstance>(virtualMachineInstances)
  const records = createInformer<HardwareRecord>({ client, resource: hardwareRecords, clock, log, random, transform: withoutFacts })
  if (gauges !== undefined) defineHardwareMetrics(gauges, vmis)
  const controller = createController({
    name: 'hardware-summary',
    reconciler: createHardwareSummaryReconciler({ client, vms, records }),
    // Reconciles need both caches: without the VMs every record would look orphaned.
    sources: [watchResource(records, enqueueSelf), watchResource(vms, () => [])],
    clock,
    log,
    ...(metrics === undefined ? {} : { metrics }),
  })
  return {
    async run(signal) {
      await Promise.all([records.run(signal), controller.run(signal)])
    },
  }
}

/** Facts are 90 % of a record and unused here. */
function withoutFacts({ history, ...record }: HardwareRecord): HardwareRecord {
  const entries = history.map((entry) => {
    const { changes: _, ...rest } = entry
    return rest
  })
  return { ...record, facts: {}, history: entries }
}
