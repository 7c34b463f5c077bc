import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { CollectedMetric, CollectedSample } from '#runtime/metrics/collected-samples.ts'
import type { GuestFileSystem, GuestUse, LoadAverages } from '../guest-agent/answers.ts'
import type { CardCounters } from '../network/card-counters.ts'
import type { GuestLoad } from './guest-load.ts'

/** All that metrics say of one guest. */
export interface GuestReading {
  readonly load: GuestLoad
  /** By the name of the interface. */
  readonly cards: ReadonlyMap<string, CardCounters>
  /** Absent without a guest agent, and before its first answer. */
  readonly use?: GuestUse | undefined
}

type Values = readonly (readonly [labels: Readonly<Record<string, string>>, value: number | undefined])[]
type Read = (reading: GuestReading) => Values
type Entry = readonly [type: CollectedMetric['type'], help: string, read: Read]

const one =
  (read: (reading: GuestReading) => number | undefined): Read =>
  (reading) => [[{}, read(reading)]]

const ofDisks =
  (read: (disk: GuestLoad['disks'][number]) => number): Read =>
  ({ load }) =>
    load.disks.map((disk) => [{ drive: disk.disk }, read(disk)])

const ofCards =
  (read: (card: CardCounters) => number): Read =>
  ({ cards }) =>
    [...cards].map(([name, card]) => [{ interface: name }, read(card)])

const ofVcpus =
  (read: (vcpu: GuestLoad['vcpus'] extends ReadonlyMap<number, infer V> ? V : never) => number | undefined, labels = {}): Read =>
  ({ load }) =>
    [...load.vcpus].map(([index, vcpu]) => [{ id: String(index), ...labels }, read(vcpu)])

/**
 * A guest is not trusted: more file systems than this would make the metrics of a node too large.
 */
const mostFileSystems = 100

const ofFileSystems =
  (read: (system: GuestFileSystem) => number): Read =>
  ({ use }) =>
    (use?.fileSystems ?? [])
      .slice(0, mostFileSystems)
      .map((system) => [
        { disk_name: system.diskName, mount_point: system.mountPoint, file_system_type: system.fileSystemType },
        read(system),
      ])

const ofLoad = (read: (load: LoadAverages) => number): Read => one(({ use }) => (use?.load === undefined ? undefined : read(use.load)))

/** KubeVirt's metrics of the load of guests: names, types, labels and values. */
const table: Readonly<Record<string, Entry>> = {
  kubevirt_vmi_cpu_usage_seconds_total: [
    'counter',
    'Time of processors that the QEMU of a guest has used',
    one(({ load: { process } }) => process.userSeconds + process.systemSeconds),
  ],
  kubevirt_vmi_cpu_user_usage_seconds_total: [
    'counter',
    'Time of processors that the QEMU of a guest has used outside the kernel of its node',
    one(({ load: { process } }) => process.userSeconds),
  ],
  kubevirt_vmi_cpu_system_usage_seconds_total: [
    'counter',
    'Time of processors that the QEMU of a guest has used in the kernel of its node',
    one(({ load: { process } }) => process.systemSeconds),
  ],
  kubevirt_vmi_vcpu_seconds_total: [
    'counter',
    'Time of processors that a CPU of a guest has used',
    ofVcpus(({ seconds }) => seconds, { state: 'running' }),
  ],
  kubevirt_vmi_vcpu_delay_seconds_total: [
    'counter',
    'Time in which a CPU of a guest could have run and waited for a processor of the node',
    ofVcpus(({ delaySeconds }) => delaySeconds),
  ],
  kubevirt_vmi_vcpu_wait_seconds_total: [
    'counter',
    'Time in which a CPU of a guest waited for I/O; only where the kernel of the node counts it',
    ofVcpus(({ ioWaitSeconds }) => ioWaitSeconds),
  ],
  kubevirt_vmi_node_cpu_affinity: [
    'gauge',
    'Processors of the node that the CPUs of a guest may run on, added up over its CPUs',
    one(({ load }) => [...load.vcpus.values()].reduce((sum, { processors }) => sum + processors, 0)),
  ],
  kubevirt_vmi_memory_resident_bytes: [
    'gauge',
    'Memory of the node that the QEMU of a guest has in use',
    one(({ load: { process } }) => process.residentBytes),
  ],
  kubevirt_vmi_memory_domain_bytes: ['gauge', 'Memory that a guest was given', one(({ load: { memory } }) => memory.domainBytes)],
  kubevirt_vmi_memory_actual_balloon_bytes: [
    'gauge',
    'Memory that a guest has, without what its balloon has taken',
    one(({ load: { memory } }) => memory.balloonBytes),
  ],
  kubevirt_vmi_memory_available_bytes: [
    'gauge',
    'Memory that the system in a guest manages',
    one(({ load: { memory } }) => memory.totalBytes),
  ],
  kubevirt_vmi_memory_unused_bytes: [
    'gauge',
    'Memory that the system in a guest uses for nothing, caches included',
    one(({ load: { memory } }) => memory.freeBytes),
  ],
  kubevirt_vmi_memory_usable_bytes: [
    'gauge',
    'Memory that the system in a guest can give to programs without swapping',
    one(({ load: { memory } }) => memory.availableBytes),
  ],
  kubevirt_vmi_memory_cached_bytes: [
    'gauge',
    'Memory that the system in a guest uses for caches, which it can give up',
    one(({ load: { memory } }) => memory.cachedBytes),
  ],
  kubevirt_vmi_memory_swap_in_traffic_bytes: [
    'gauge',
    'Memory that the system in a guest has read from its swap space',
    one(({ load: { memory } }) => memory.swapInBytes),
  ],
  kubevirt_vmi_memory_swap_out_traffic_bytes: [
    'gauge',
    'Memory that the system in a guest has written to its swap space',
    one(({ load: { memory } }) => memory.swapOutBytes),
  ],
  kubevirt_vmi_memory_pgmajfault_total: [
    'counter',
    'Page faults in a guest for which it had to read from a disk',
    one(({ load: { memory } }) => memory.majorFaults),
  ],
  kubevirt_vmi_memory_pgminfault_total: [
    'counter',
    'Page faults in a guest without reading from a disk',
    one(({ load: { memory } }) => memory.minorFaults),
  ],
  kubevirt_vmi_dirty_rate_bytes_per_second: [
    'gauge',
    'Memory that a guest wrote to in a second, measured once a minute while it is asked for',
    one(({ load }) => load.dirtyBytesPerSecond),
  ],
  kubevirt_vmi_storage_iops_read_total: ['counter', 'Requests of a guest to read from a disk', ofDisks(({ reads }) => reads)],
  kubevirt_vmi_storage_iops_write_total: ['counter', 'Requests of a guest to write to a disk', ofDisks(({ writes }) => writes)],
  kubevirt_vmi_storage_read_traffic_bytes_total: [
    'counter',
    'Bytes that a guest has read from a disk',
    ofDisks(({ readBytes }) => readBytes),
  ],
  kubevirt_vmi_storage_write_traffic_bytes_total: [
    'counter',
    'Bytes that a guest has written to a disk',
    ofDisks(({ writtenBytes }) => writtenBytes),
  ],
  kubevirt_vmi_storage_read_times_seconds_total: [
    'counter',
    'Time of all requests of a guest to read from a disk, added up',
    ofDisks(({ readSeconds }) => readSeconds),
  ],
  kubevirt_vmi_storage_write_times_seconds_total: [
    'counter',
    'Time of all requests of a guest to write to a disk, added up',
    ofDisks(({ writeSeconds }) => writeSeconds),
  ],
  kubevirt_vmi_storage_flush_requests_total: [
    'counter',
    'Requests of a guest to make written data durable',
    ofDisks(({ flushes }) => flushes),
  ],
  kubevirt_vmi_storage_flush_times_seconds_total: [
    'counter',
    'Time of all requests of a guest to make written data durable, added up',
    ofDisks(({ flushSeconds }) => flushSeconds),
  ],
  kubevirt_vmi_network_receive_bytes_total: ['counter', 'Bytes that a guest has received', ofCards(({ received }) => received.bytes)],
  kubevirt_vmi_network_transmit_bytes_total: ['counter', 'Bytes that a guest has sent', ofCards(({ transmitted }) => transmitted.bytes)],
  kubevirt_vmi_network_receive_packets_total: ['counter', 'Packets that a guest has received', ofCards(({ received }) => received.packets)],
  kubevirt_vmi_network_transmit_packets_total: [
    'counter',
    'Packets that a guest has sent',
    ofCards(({ transmitted }) => transmitted.packets),
  ],
  kubevirt_vmi_network_receive_errors_total: ['counter', 'Packets to a guest with an error', ofCards(({ received }) => received.errors)],
  kubevirt_vmi_network_transmit_errors_total: [
    'counter',
    'Packets of a guest with an error',
    ofCards(({ transmitted }) => transmitted.errors),
  ],
  kubevirt_vmi_network_receive_packets_dropped_total: [
    'counter',
    'Packets to a guest that were dropped, mostly since it did not take them in time',
    ofCards(({ received }) => received.dropped),
  ],
  kubevirt_vmi_network_transmit_packets_dropped_total: [
    'counter',
    'Packets of a guest that were dropped',
    ofCards(({ transmitted }) => transmitted.dropped),
  ],
  kubevirt_vmi_network_traffic_bytes_total: [
    'counter',
    'Bytes that a guest has sent and received; deprecated by KubeVirt',
    ({ cards }) =>
      [...cards].flatMap(([name, { received, transmitted }]) => [
        [{ interface: name, type: 'rx' }, received.bytes] as const,
        [{ interface: name, type: 'tx' }, transmitted.bytes] as const,
      ]),
  ],
  kubevirt_vmi_filesystem_capacity_bytes: [
    'gauge',
    'Size of a file system in a guest, as its agent says',
    ofFileSystems(({ totalBytes }) => totalBytes),
  ],
  kubevirt_vmi_filesystem_used_bytes: [
    'gauge',
    'Used part of a file system in a guest, as its agent says',
    ofFileSystems(({ usedBytes }) => usedBytes),
  ],
  kubevirt_vmi_guest_load_1m: [
    'gauge',
    'Load of a guest over a minute, as its agent says; from version 10.0 of the agent on',
    ofLoad(({ oneMinute }) => oneMinute),
  ],
  kubevirt_vmi_guest_load_5m: [
    'gauge',
    'Load of a guest over 5 minutes, as its agent says; from version 10.0 of the agent on',
    ofLoad(({ fiveMinutes }) => fiveMinutes),
  ],
  kubevirt_vmi_guest_load_15m: [
    'gauge',
    'Load of a guest over 15 minutes, as its agent says; from version 10.0 of the agent on',
    ofLoad(({ fifteenMinutes }) => fifteenMinutes),
  ],
}

/** The metrics for which {@link samplesOf} returns samples. */
export const guestMetrics: readonly CollectedMetric[] = Object.entries(table).map(([name, [type, help]]) => ({ name, help, type }))

/**
 * Returns the samples of one guest. As in KubeVirt each has the labels of the VMI, below
 * `kubernetes_vmi_label_`. Pure.
 */
export function samplesOf(vmi: Pick<VirtualMachineInstance, 'metadata' | 'status'>, reading: GuestReading): CollectedSample[] {
  const labels = {
    node: vmi.status?.nodeName ?? '',
    namespace: vmi.metadata.namespace ?? '',
    name: vmi.metadata.name ?? '',
    ...Object.fromEntries(
      Object.entries(vmi.metadata.labels ?? {}).map(([key, value]) => [`kubernetes_vmi_label_${key.replaceAll(/[./-]/g, '_')}`, value]),
    ),
  }
  return Object.entries(table).flatMap(([metric, [, , read]]) =>
    read(reading).flatMap(([own, value]) => (value === undefined ? [] : [{ metric, labels: { ...labels, ...own }, value }])),
  )
}
