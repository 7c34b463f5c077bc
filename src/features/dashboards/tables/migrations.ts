import type { Dashboard } from '../dashboard.ts'
import { graph, quantile, query, stat, table } from '../panels.ts'

const here = '{namespace=~"$namespace"}'
const placed = '{namespace=~"$namespace",node=~"$node"}'
const perGuest = '{{namespace}}/{{name}}'
const none = 'no guest migrates'

/** Live migrations and drains. */
export const migrations: Dashboard = {
  name: 'migrations',
  title: 'steadyvm / Migrations',
  description: 'Live migrations: how many wait and run, how far they are, and which guests cannot be moved.',
  variables: ['namespace', 'node'],
  rows: [
    {
      title: 'Now',
      panels: [
        ...(['pending', 'scheduling', 'running'] as const).map((phase) =>
          stat(
            {
              title: `${phase.charAt(0).toUpperCase()}${phase.slice(1)}`,
              description: `Migrations in the phase ${phase} of their life.`,
              unit: 'short',
            },
            query(`max(kubevirt_vmi_migrations_in_${phase}_phase)`, phase),
          ),
        ),
        stat(
          {
            title: 'Failed',
            description: 'Migrations that failed, and whose objects are there.',
            unit: 'short',
            thresholds: { warning: 1 },
          },
          query(`count(max by (namespace, vmi, vmim) (kubevirt_vmi_migration_failed${here} == 1)) or vector(0)`, 'failed'),
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
      ],
    },
    {
      title: 'Progress',
      panels: [
        graph(
          {
            title: 'Migrations',
            description: 'Migrations by phase. Many that are pending wait for the limits of the KubeVirt object.',
            unit: 'short',
          },
          ...(['unset', 'pending', 'scheduling', 'running'] as const).map((phase) =>
            query(`max(kubevirt_vmi_migrations_in_${phase}_phase)`, phase),
          ),
        ),
        graph(
          { title: 'From creation to the end', description: 'Time from the creation of a migration until it has succeeded.', unit: 's' },
          ...[0.5, 0.95].map((share) =>
            query(
              quantile(share, 'kubevirt_vmi_migration_phase_transition_time_from_creation_seconds', '{phase="Succeeded"}', []),
              `${share * 100}%`,
              'no guest has migrated for a while',
            ),
          ),
        ),
        graph(
          {
            title: 'Remaining',
            description: 'Memory that is still to be sent. It goes up where a guest writes faster than is sent.',
            unit: 'bytes',
          },
          query(`max by (namespace, name) (kubevirt_vmi_migration_data_remaining_bytes${placed})`, perGuest, none),
        ),
        graph(
          {
            title: 'Sent and written',
            description: 'A migration ends by itself only where guests write slower than is sent.',
            unit: 'Bps',
          },
          query(`max by (namespace, name) (kubevirt_vmi_migration_memory_transfer_rate_bytes${placed})`, `${perGuest} sent`, none),
          query(`max by (namespace, name) (kubevirt_vmi_migration_dirty_memory_rate_bytes${placed})`, `${perGuest} written`, none),
        ),
        graph(
          { title: 'Share that is sent', description: 'Processed data, by all that is to be sent.', unit: 'percentunit' },
          query(
            `max by (namespace, name) (kubevirt_vmi_migration_data_processed_bytes${placed}) / max by (namespace, name) (kubevirt_vmi_migration_data_bytes_total${placed})`,
            perGuest,
            none,
          ),
        ),
        table(
          { title: 'Time that migrations took', description: 'Of those whose objects are there.', unit: 's' },
          query(
            `max by (namespace, name, migration_name, status) (kubevirt_vmi_migration_end_time_seconds${here}) - on (namespace, name, migration_name) group_left () max by (namespace, name, migration_name) (kubevirt_vmi_migration_start_time_seconds${here})`,
            '{{migration_name}}',
            'no guest has migrated',
          ),
        ),
      ],
    },
    {
      title: 'Obstacles',
      panels: [
        table(
          { title: 'Failed migrations', description: 'The object of a migration says why it failed.', unit: 'short' },
          query(`max by (namespace, vmi, vmim) (kubevirt_vmi_migration_failed${here} == 1)`, '{{vmim}}', 'none has failed'),
        ),
        table(
          { title: 'Guests that hold up a drain', description: 'Their condition LiveMigratable says why.', unit: 'short' },
          query(`max by (namespace, name, node) (kubevirt_vmi_non_evictable${placed} == 1)`, perGuest, 'all guests can be moved'),
        ),
        graph(
          { title: 'Evacuations that wait', description: 'Guests on drained nodes that are not moved, by reason.', unit: 'short' },
          query('max by (reason) (steadyvm_vmi_evacuations_blocked)', '{{reason}}', 'no node is drained'),
        ),
        graph(
          {
            title: 'Migrations of a guest in a day',
            description: 'From 12 on the alert KubeVirtVMIExcessiveMigrations fires.',
            unit: 'short',
          },
          query(
            `topk(10, sum by (namespace, vmi) (max_over_time(kubevirt_vmi_migration_succeeded${here}[1d])))`,
            '{{namespace}}/{{vmi}}',
            'no guest has migrated',
          ),
        ),
      ],
    },
  ],
}
