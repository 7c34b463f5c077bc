import type { Dashboard } from '../dashboard.ts'
import { graph, query, stat, table } from '../panels.ts'

const noUpgrade = 'there is no upgrade now'
const noHyperConverged = 'HyperConverged may not be installed'

/** Upgrades of the platform, and what waits for them. */
export const upgrade: Dashboard = {
  name: 'upgrade',
  title: 'steadyvm / Upgrade',
  description: 'The course of an upgrade of the platform: its stage, the versions side by side, and the guests that wait for it.',
  variables: [],
  rows: [
    {
      title: 'Now',
      panels: [
        stat(
          { title: 'Stage', description: 'Stage of the upgrade that is under way.', unit: 'short' },
          query('max by (stage) (steadyvm_upgrade_stage == 1)', '{{stage}}', noUpgrade),
        ),
        stat(
          {
            title: 'Time in this stage',
            description: 'An upgrade that stays in a stage for half an hour stands still: see the runbook UpgradeStandsStill.',
            unit: 's',
            thresholds: { warning: 600, critical: 1800 },
          },
          query('max by (stage) (steadyvm_upgrade_stage_seconds)', '{{stage}}', noUpgrade),
        ),
        stat(
          {
            title: 'Taken back',
            description: '1: the version that is asked for failed, and the one before is back.',
            unit: 'short',
            thresholds: { critical: 1 },
          },
          query('max(steadyvm_upgrade_rejected)', 'taken back'),
        ),
        stat(
          {
            title: 'Health of the platform',
            description: '0 is healthy, 1 is a warning, 2 is an error.',
            unit: 'short',
            thresholds: { warning: 1, critical: 2 },
          },
          query('max(cluster:kubevirt_hco_operator_health_status:count)', 'health'),
        ),
        stat(
          {
            title: 'Next renewal of a certificate',
            description: 'Time until the next certificate is to be renewed. Below 0 one was not.',
            unit: 's',
          },
          query('min(steadyvm_certificate_renewal_seconds)', 'renewal'),
        ),
      ],
    },
    {
      title: 'Course',
      panels: [
        graph(
          { title: 'Stages', description: 'Stages one after the other.', unit: 'short' },
          query('max by (stage) (steadyvm_upgrade_stage)', '{{stage}}'),
        ),
        graph(
          { title: 'Node agents by version', description: 'Old and new node agents side by side.', unit: 'short' },
          query('count by (kubeversion) (kubevirt_info)', '{{kubeversion}}'),
        ),
        graph(
          {
            title: 'Components of HyperConverged',
            description: 'For how long a component has been updated to another version.',
            unit: 's',
          },
          query('max by (component) (steadyvm_hco_component_update_seconds)', '{{component}}', noUpgrade),
        ),
        graph(
          {
            title: 'Changes by others',
            description: 'Changes to objects of HyperConverged that it has reverted, in ten minutes.',
            unit: 'short',
          },
          query(
            'sum by (component_name) (increase(kubevirt_hco_out_of_band_modifications_total[10m]))',
            '{{component_name}}',
            noHyperConverged,
          ),
        ),
      ],
    },
    {
      title: 'Guests',
      panels: [
        graph(
          { title: 'Guests with an outdated launcher', description: 'They become fewer while guests are migrated.', unit: 'short' },
          query('max(kubevirt_vmi_number_of_outdated)', 'guests'),
        ),
        graph(
          { title: 'Guests that wait for an update', description: 'By the reason of their condition.', unit: 'short' },
          query('max by (reason) (steadyvm_vmi_updates_pending)', '{{reason}}', 'no guest waits'),
        ),
        table(
          { title: 'Guests with an outdated launcher', description: 'Guests that run on a launcher of an earlier release.', unit: 'short' },
          query('max by (namespace, name, node) (kubevirt_vmi_info{outdated="true"})', '{{namespace}}/{{name}}', 'no guest is outdated'),
        ),
        graph(
          { title: 'Guests that hold up a drain', description: 'By reason.', unit: 'short' },
          query('max by (reason) (steadyvm_vmi_evacuations_blocked)', '{{reason}}', 'no guest holds up a drain'),
        ),
      ],
    },
    {
      title: 'Components',
      panels: [
        graph(
          { title: 'Pods that answer', description: 'Pods of each component whose metrics can be read.', unit: 'short' },
          ...(['api', 'controller', 'handler', 'operator'] as const).map((component) =>
            query(`cluster:kubevirt_virt_${component}_up:sum`, `virt-${component}`),
          ),
        ),
        graph(
          { title: 'Ready', description: 'Pods of each component that say of themselves that they are ready.', unit: 'short' },
          ...(['api', 'controller', 'handler', 'operator'] as const).map((component) =>
            query(`sum(kubevirt_virt_${component}_ready_status)`, `virt-${component}`),
          ),
        ),
        graph(
          { title: 'Leaders', description: 'One of each. 0 means that the work is not done.', unit: 'short' },
          query('cluster:kubevirt_virt_controller_leading:sum', 'virt-controller'),
          query('cluster:kubevirt_virt_operator_leading:sum', 'virt-operator'),
        ),
        graph(
          { title: 'Certificates', description: 'Time until each certificate ends.', unit: 's' },
          query('min by (certificate) (steadyvm_certificate_expiry_seconds)', '{{certificate}}'),
        ),
      ],
    },
  ],
}
