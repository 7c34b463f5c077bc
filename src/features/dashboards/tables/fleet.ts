import type { Dashboard } from '../dashboard.ts'
import { graph, quantile, query, rate, stat, table } from '../panels.ts'

const here = '{namespace=~"$namespace"}'
const placed = '{namespace=~"$namespace",node=~"$node"}'
const perGuest = '{{namespace}}/{{name}}'

/** All VMs and guests: how many, where, how loaded. */
export const fleet: Dashboard = {
  name: 'fleet',
  title: 'steadyvm / Fleet',
  description: 'VMs and guests of all namespaces and nodes: how many there are, in which state, and what they use.',
  variables: ['namespace', 'node'],
  rows: [
    {
      title: 'Now',
      panels: [
        stat(
          { title: 'VMs', description: 'VirtualMachines, whether they run or not.', unit: 'short' },
          query(`sum(namespace:kubevirt_vm:sum${here})`, 'VMs'),
        ),
        stat(
          { title: 'Running guests', description: 'Guests in the phase Running.', unit: 'short' },
          query('count(kubevirt_vmi_info{namespace=~"$namespace",node=~"$node",phase="running"}) or vector(0)', 'guests'),
        ),
        stat(
          {
            title: 'VMs with an error',
            description: 'VMs that crash, cannot be scheduled, or lack a disk or an image. The list below names them.',
            unit: 'short',
            thresholds: { critical: 1 },
          },
          query('count(kubevirt_vm_info{namespace=~"$namespace",status_group="error"}) or vector(0)', 'VMs'),
        ),
        stat(
          {
            title: 'Guests that hold up a drain',
            description: 'Guests that are to be migrated when their node is drained, and cannot be.',
            unit: 'short',
            thresholds: { warning: 1 },
          },
          query(`sum(max by (namespace, name) (kubevirt_vmi_non_evictable${placed})) or vector(0)`, 'guests'),
        ),
        stat(
          {
            title: 'Firing alerts',
            description: 'Alerts about the platform and its guests.',
            unit: 'short',
            thresholds: { warning: 1 },
          },
          query('count(ALERTS{alertstate="firing",kubernetes_operator_part_of="kubevirt"}) or vector(0)', 'alerts'),
        ),
        stat(
          { title: 'Guests with an outdated launcher', description: 'Guests that run on a launcher of an earlier release.', unit: 'short' },
          query('max(kubevirt_vmi_number_of_outdated)', 'guests'),
        ),
      ],
    },
    {
      title: 'State',
      panels: [
        graph(
          { title: 'VMs by status', description: 'Groups of the status that kubectl shows.', unit: 'short' },
          query(`count by (status_group) (max by (namespace, name, status_group) (kubevirt_vm_info${here}))`, '{{status_group}}'),
        ),
        graph(
          {
            title: 'Guests by node and phase',
            description: 'Where guests are. A drain moves them from one node to others.',
            unit: 'short',
          },
          query('sum by (node, phase) (node:kubevirt_vmi_phase:sum{node=~"$node"})', '{{node}} {{phase}}'),
        ),
        table(
          { title: 'VMs with an error', description: 'VMs that crash, cannot be scheduled, or lack a disk or an image.', unit: 'short' },
          query(
            'max by (namespace, name, status) (kubevirt_vm_info{namespace=~"$namespace",status_group="error"})',
            '{{status}}',
            'no VM has an error',
          ),
        ),
        table(
          { title: 'Firing alerts', description: 'Each alert has a runbook of its name.', unit: 'short' },
          query(
            'max by (alertname, severity, namespace, name) (ALERTS{alertstate="firing",kubernetes_operator_part_of="kubevirt"})',
            '{{alertname}}',
            'no alert fires',
          ),
        ),
      ],
    },
    {
      title: 'Starts',
      panels: [
        graph(
          { title: 'From creation to Running', description: 'How long guests take to start, of those that did.', unit: 's' },
          ...[0.5, 0.95].map((share) =>
            query(
              quantile(share, 'kubevirt_vmi_phase_transition_time_from_creation_seconds', '{phase="Running"}', []),
              `${share * 100}%`,
              'no guest has started for a while',
            ),
          ),
        ),
        graph(
          { title: 'New VMs', description: 'VMs that were created in the last hour.', unit: 'short' },
          query(`sum by (namespace) (increase(kubevirt_vm_created_by_pod_total${here}[1h]))`, '{{namespace}}'),
        ),
      ],
    },
    {
      title: 'Load',
      panels: [
        graph(
          { title: 'Processors in use', description: 'Processors of each node that its guests use, with their QEMU.', unit: 'short' },
          query(`sum by (node) (${rate(`kubevirt_vmi_cpu_usage_seconds_total${placed}`)})`, '{{node}}'),
        ),
        graph(
          {
            title: 'Guests that use most processors',
            description: 'The ten of them. Compare with how long their CPUs wait for a processor, in the dashboard of the guest.',
            unit: 'short',
          },
          query(`topk(10, sum by (namespace, name) (${rate(`kubevirt_vmi_cpu_usage_seconds_total${placed}`)}))`, perGuest),
        ),
        graph(
          { title: 'Memory of guests', description: 'What guests were given, and what their QEMU has in use on the node.', unit: 'bytes' },
          query(`sum by (node) (kubevirt_vmi_memory_domain_bytes${placed})`, '{{node}} given'),
          query(`sum by (node) (kubevirt_vmi_memory_resident_bytes${placed})`, '{{node}} in use'),
        ),
        graph(
          { title: 'Memory that VMs ask for', description: 'Of VMs that do not run, too.', unit: 'bytes' },
          query(
            'sum by (namespace) (kubevirt_vm_resource_requests{namespace=~"$namespace",resource="memory",source="guest_effective"})',
            '{{namespace}}',
          ),
        ),
        graph(
          { title: 'Network', description: 'Bytes that guests receive and send.', unit: 'Bps' },
          query(
            `sum by (node) (${rate(`kubevirt_vmi_network_receive_bytes_total${placed}`)})`,
            '{{node}} received',
            'guests may have no network',
          ),
          query(
            `sum by (node) (${rate(`kubevirt_vmi_network_transmit_bytes_total${placed}`)})`,
            '{{node}} sent',
            'guests may have no network',
          ),
        ),
        graph(
          { title: 'Disks', description: 'Bytes that guests read and write.', unit: 'Bps' },
          query(
            `sum by (node) (${rate(`kubevirt_vmi_storage_read_traffic_bytes_total${placed}`)})`,
            '{{node}} read',
            'guests may have no disk',
          ),
          query(
            `sum by (node) (${rate(`kubevirt_vmi_storage_write_traffic_bytes_total${placed}`)})`,
            '{{node}} written',
            'guests may have no disk',
          ),
        ),
      ],
    },
  ],
}
