import type { Dashboard } from '../dashboard.ts'
import { graph, query, stat, table } from '../panels.ts'

const noUse = 'no VM has an instance type or preference'
const here = '{namespace=~"$namespace"}'

/** Captured instance types and preferences, and the hardware of guests. */
export const revisions: Dashboard = {
  name: 'revisions',
  title: 'steadyvm / Revisions',
  description: 'The copies of instance types and preferences that pin the hardware of VMs: their age, their upgrade, and what changed.',
  variables: ['namespace'],
  rows: [
    {
      title: 'Now',
      panels: (
        [
          ['outdated', 'of an older API version, which cannot be removed before they are upgraded', 'warning'],
          ['undecodable', 'that no API version of this release can read', 'critical'],
          ['missing', 'that a VM names and that do not exist', 'critical'],
          ['orphaned', 'that no object names any more', 'warning'],
        ] as const
      ).map(([state, what, level]) =>
        stat(
          {
            title: `${state.charAt(0).toUpperCase()}${state.slice(1)}`,
            description: `Copies ${what}.`,
            unit: 'short',
            thresholds: { [level]: 1 },
          },
          query(`sum(max by (family, version, state) (steadyvm_instancetype_revisions{state="${state}"})) or vector(0)`, state),
        ),
      ),
    },
    {
      title: 'Copies',
      panels: [
        graph(
          { title: 'By API version', description: 'An API version without copies can be removed.', unit: 'short' },
          query(
            'sum by (family, version) (max by (family, version, state) (steadyvm_instancetype_revisions))',
            '{{family}} {{version}}',
            noUse,
          ),
        ),
        graph(
          { title: 'By state', description: 'Copies by how they are.', unit: 'short' },
          query('sum by (state) (max by (family, version, state) (steadyvm_instancetype_revisions))', '{{state}}', noUse),
        ),
        graph(
          { title: 'Upgrades', description: 'Copies that were replaced by newer ones in ten minutes, or could not be.', unit: 'short' },
          query(
            'sum by (family, result) (increase(steadyvm_instancetype_revision_upgrades_total[10m]))',
            '{{family}} {{result}}',
            'no copy had to be upgraded',
          ),
        ),
        graph(
          {
            title: 'Guests with changed hardware',
            description: 'Guests that see other hardware than at their last start, by why.',
            unit: 'short',
          },
          query('max by (reason) (steadyvm_vmi_hardware_changed)', '{{reason}}', 'no hardware has changed'),
        ),
      ],
    },
    {
      title: 'Use',
      panels: [
        graph(
          { title: 'VMs by instance type', description: 'Those of vendors by name; all others are "<other>".', unit: 'short' },
          query(`count by (instance_type) (max by (namespace, name, instance_type) (kubevirt_vm_info${here}))`, '{{instance_type}}'),
        ),
        graph(
          { title: 'VMs by preference', description: 'Those of vendors by name; all others are "<other>".', unit: 'short' },
          query(`count by (preference) (max by (namespace, name, preference) (kubevirt_vm_info${here}))`, '{{preference}}'),
        ),
        graph(
          {
            title: 'VMs by machine type',
            description: 'Machine types that VMs name, or that their guests were started with.',
            unit: 'short',
          },
          query(`count by (machine_type) (max by (namespace, name, machine_type) (kubevirt_vm_info${here}))`, '{{machine_type}}'),
        ),
        table(
          {
            title: 'Deprecated machine types',
            description: 'A later QEMU will not have them: VMs that name one have to be changed.',
            unit: 'short',
          },
          query('count by (machine_type) (kubevirt_node_deprecated_machine_types)', '{{machine_type}}', 'QEMU deprecates none'),
        ),
      ],
    },
  ],
}
