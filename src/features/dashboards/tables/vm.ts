import type { Dashboard } from '../dashboard.ts'
import { graph, query, rate, stat, table } from '../panels.ts'

const guest = '{namespace="$namespace",name="$name"}'
const noDisk = 'the guest may have no disk'
const noNetwork = 'the guest may have no network'
const noAgent = 'the guest may have no agent'
const noDriver = 'the guest may have no driver of its balloon'
const drive = '{{drive}}'

/** One VM and its guest. */
export const vm: Dashboard = {
  name: 'vm',
  title: 'steadyvm / VM',
  description: 'One VM: its state, and the load of its guest as QEMU, the node, the balloon and the guest agent say.',
  variables: ['namespace', 'name'],
  isOfOneGuest: true,
  rows: [
    {
      title: 'State',
      panels: [
        table(
          { title: 'VM', description: 'Status, machine type, instance type and preference.', unit: 'short' },
          query(`max by (namespace, name, status, machine_type, instance_type, preference) (kubevirt_vm_info${guest})`, '{{status}}'),
        ),
        table(
          { title: 'Guest', description: 'Node and phase of the guest, and whether it can be migrated.', unit: 'short' },
          query(
            `max by (node, phase, evictable, outdated, guest_os_name, guest_os_version_id, guest_os_kernel_release) (kubevirt_vmi_info${guest})`,
            '{{phase}}',
          ),
        ),
        stat(
          { title: 'Running since', description: 'When the VM became Running for the last time.', unit: 'dateTimeFromNow' },
          query(`max(kubevirt_vm_running_status_last_transition_timestamp_seconds${guest}) * 1000`, 'since'),
        ),
        stat(
          {
            title: 'Last connection',
            description: 'When a client was last connected to the console, the display or a port of the guest.',
            unit: 'dateTimeFromNow',
          },
          query(
            'max(kubevirt_vmi_last_api_connection_timestamp_seconds{namespace="$namespace",vmi="$name"}) * 1000',
            'last',
            'no client was connected',
          ),
        ),
        table(
          { title: 'Addresses', description: 'Addresses of the interfaces of the guest.', unit: 'short' },
          query(`max by (interface_name, address, type) (kubevirt_vmi_status_addresses${guest})`, '{{address}}', noNetwork),
        ),
      ],
    },
    {
      title: 'Processors',
      panels: [
        graph(
          { title: 'CPUs of the guest', description: 'Share of a processor that each CPU of the guest uses.', unit: 'percentunit' },
          query(`max by (id) (${rate(`kubevirt_vmi_vcpu_seconds_total${guest}`)})`, 'CPU {{id}}'),
        ),
        graph(
          {
            title: 'Waiting for a processor',
            description: 'Share of time in which a CPU of the guest could have run. Above 10% the node has too many guests.',
            unit: 'percentunit',
          },
          query(`max by (id) (${rate(`kubevirt_vmi_vcpu_delay_seconds_total${guest}`)})`, 'CPU {{id}}'),
        ),
        graph(
          {
            title: 'QEMU',
            description: 'Processors that the QEMU of the guest uses, inside and outside the kernel of the node.',
            unit: 'short',
          },
          query(`sum(${rate(`kubevirt_vmi_cpu_user_usage_seconds_total${guest}`)})`, 'user'),
          query(`sum(${rate(`kubevirt_vmi_cpu_system_usage_seconds_total${guest}`)})`, 'system'),
        ),
        graph(
          { title: 'Load of the guest', description: 'Programs that run or wait in the guest, as its agent says.', unit: 'short' },
          ...['1m', '5m', '15m'].map((minutes) => query(`max(kubevirt_vmi_guest_load_${minutes}${guest})`, minutes, noAgent)),
        ),
      ],
    },
    {
      title: 'Memory',
      panels: [
        graph(
          {
            title: 'Memory',
            description: 'Given: what the guest has. In use on the node: by its QEMU. Available and usable: as the guest says.',
            unit: 'bytes',
          },
          query(`max(kubevirt_vmi_memory_domain_bytes${guest})`, 'given'),
          query(`max(kubevirt_vmi_memory_resident_bytes${guest})`, 'in use on the node'),
          query(`max(kubevirt_vmi_memory_available_bytes${guest})`, 'available', noDriver),
          query(`max(kubevirt_vmi_memory_usable_bytes${guest})`, 'usable', noDriver),
          query(`max(kubevirt_vmi_memory_cached_bytes${guest})`, 'caches', noDriver),
        ),
        graph(
          { title: 'Page faults', description: 'Major ones read from a disk: many of them are a lack of memory.', unit: 'ops' },
          query(`sum(${rate(`kubevirt_vmi_memory_pgmajfault_total${guest}`)})`, 'major', noDriver),
          query(`sum(${rate(`kubevirt_vmi_memory_pgminfault_total${guest}`)})`, 'minor', noDriver),
        ),
        graph(
          { title: 'Swap', description: 'Bytes that the guest reads from and writes to its swap space.', unit: 'Bps' },
          query(`sum(${rate(`kubevirt_vmi_memory_swap_in_traffic_bytes${guest}`)})`, 'in', noDriver),
          query(`sum(${rate(`kubevirt_vmi_memory_swap_out_traffic_bytes${guest}`)})`, 'out', noDriver),
        ),
        graph(
          {
            title: 'Memory that the guest writes to',
            description: 'A migration has to send faster than this.',
            unit: 'Bps',
          },
          query(`max(kubevirt_vmi_dirty_rate_bytes_per_second${guest})`, 'written to', 'it is sampled between two scrapes'),
        ),
      ],
    },
    {
      title: 'Disks',
      panels: [
        graph(
          { title: 'Traffic', description: 'Bytes that the guest reads and writes, by disk.', unit: 'Bps' },
          query(`sum by (drive) (${rate(`kubevirt_vmi_storage_read_traffic_bytes_total${guest}`)})`, `${drive} read`, noDisk),
          query(`sum by (drive) (${rate(`kubevirt_vmi_storage_write_traffic_bytes_total${guest}`)})`, `${drive} written`, noDisk),
        ),
        graph(
          { title: 'Requests', description: 'Requests of the guest, by disk.', unit: 'ops' },
          query(`sum by (drive) (${rate(`kubevirt_vmi_storage_iops_read_total${guest}`)})`, `${drive} read`, noDisk),
          query(`sum by (drive) (${rate(`kubevirt_vmi_storage_iops_write_total${guest}`)})`, `${drive} written`, noDisk),
          query(`sum by (drive) (${rate(`kubevirt_vmi_storage_flush_requests_total${guest}`)})`, `${drive} flushed`, noDisk),
        ),
        graph(
          { title: 'Time of a request', description: 'Average time until a request is answered.', unit: 's' },
          ...(
            [
              ['read_times_seconds_total', 'iops_read_total', 'read'],
              ['write_times_seconds_total', 'iops_write_total', 'written'],
              ['flush_times_seconds_total', 'flush_requests_total', 'flushed'],
            ] as const
          ).map(([time, count, what]) =>
            query(
              `sum by (drive) (${rate(`kubevirt_vmi_storage_${time}${guest}`)}) / sum by (drive) (${rate(`kubevirt_vmi_storage_${count}${guest}`)})`,
              `${drive} ${what}`,
              noDisk,
            ),
          ),
        ),
        graph(
          { title: 'File systems', description: 'Used share of the file systems in the guest, as its agent says.', unit: 'percentunit' },
          query(
            `max by (mount_point) (kubevirt_vmi_filesystem_used_bytes${guest}) / max by (mount_point) (kubevirt_vmi_filesystem_capacity_bytes${guest})`,
            '{{mount_point}}',
            noAgent,
          ),
        ),
      ],
    },
    {
      title: 'Network',
      panels: [
        graph(
          { title: 'Traffic', description: 'Bytes that the guest receives and sends, by interface.', unit: 'Bps' },
          query(`sum by (interface) (${rate(`kubevirt_vmi_network_receive_bytes_total${guest}`)})`, '{{interface}} received', noNetwork),
          query(`sum by (interface) (${rate(`kubevirt_vmi_network_transmit_bytes_total${guest}`)})`, '{{interface}} sent', noNetwork),
        ),
        graph(
          { title: 'Lost packets', description: 'Packets that were dropped or had an error.', unit: 'cps' },
          ...(['receive', 'transmit'] as const).flatMap((way) =>
            (['packets_dropped', 'errors'] as const).map((what) =>
              query(
                `sum by (interface) (${rate(`kubevirt_vmi_network_${way}_${what}_total${guest}`)})`,
                `{{interface}} ${way} ${what.replace('packets_', '')}`,
                noNetwork,
              ),
            ),
          ),
        ),
      ],
    },
  ],
}
