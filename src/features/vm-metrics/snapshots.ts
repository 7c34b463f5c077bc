import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'
import { secondsOf } from './status-group.ts'

/** Defines KubeVirt's metric of snapshots that have succeeded. */
export function defineSnapshotMetrics(metrics: Pick<Metrics, 'gaugeFrom'>, snapshots: Pick<Lister<VirtualMachineSnapshot>, 'list'>): void {
  metrics.gaugeFrom(
    {
      name: 'kubevirt_vmsnapshot_succeeded_timestamp_seconds',
      help: 'Returns the timestamp of successful virtual machine snapshot.',
      labels: ['name', 'snapshot_name', 'namespace'],
    },
    () =>
      snapshots.list().flatMap(({ metadata: { name: snapshot_name = '', namespace = '' }, spec, status }) => {
        const isTaken = status?.phase === 'Succeeded' && status.creationTime != null
        return isTaken ? [[{ name: spec.source.name, snapshot_name, namespace }, secondsOf(status.creationTime)] as const] : []
      }),
  )
}
