import { nodes, resourceQuotas } from '#api/core/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { migrationPolicies } from '#api/migrations/v1alpha1/resources.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '#api/policy/v1/pod-disruption-budget.ts'
import { podDisruptionBudgets } from '#api/policy/v1/resources.ts'
import * as clean from '#features/upgrade-check/clean-cluster.fixture.ts'
import { addMachine, removeMachine } from '../../support/upgrade-lab.ts'
import { key, kubevirt, merge, status, web, type BadCluster } from './bad-cluster.ts'

function budget(name: string, spec: PodDisruptionBudgetSpec): PodDisruptionBudget {
  const selector = { matchLabels: { 'vm.kubevirt.io/name': web.name } }
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name, namespace: web.namespace }, spec: { ...spec, selector } }
}

/** Defects of guests that block their migration. */
export const badGuests: readonly BadCluster[] = [
  {
    id: 'UpdatesOff',
    name: 'guests that nobody would update',
    seed: kubevirt({ workloadUpdateStrategy: { workloadUpdateMethods: [] } }),
  },
  {
    id: 'UpdatesPaused',
    name: 'updates that are paused',
    seed: (lab) => merge(lab, kubeVirts, key, { metadata: { annotations: { 'steadyvm.io/workload-update-paused': 'true' } } }),
  },
  {
    id: 'WindowsNotUnderstood',
    name: 'a window that is none',
    seed: (lab) =>
      lab.unasked(() => merge(lab, kubeVirts, key, { metadata: { annotations: { 'steadyvm.io/workload-update-windows': 'at night' } } })),
  },
  {
    id: 'GuestCannotMove',
    name: 'a guest with a device of its node',
    seed: async (lab) => {
      const machine = clean.machine('rooted', 'n1')
      const conditions = [
        { type: 'LiveMigratable', status: 'False', reason: 'HostDeviceNotLiveMigratable', message: 'VMI uses a PCI host devices' },
      ]
      const guest = { ...machine.guest, status: { ...machine.guest.status, conditions } } as typeof machine.guest
      await addMachine(lab.create, { ...machine, guest })
    },
  },
  {
    id: 'GuestHasNoTarget',
    name: 'a guest that asks for a label which only its node has',
    seed: async (lab) => {
      await merge(lab, nodes, { name: 'n1' }, { metadata: { labels: { zone: 'a' } } })
      const machine = clean.machine('picky', 'n1')
      await addMachine(lab.create, {
        ...machine,
        guest: { ...machine.guest, spec: { ...machine.guest.spec, nodeSelector: { zone: 'a' } } },
      })
    },
    restore: (lab) => removeMachine(lab.client, 'picky'),
  },
  {
    id: 'GuestHasNoTarget',
    name: 'a guest whose only other node is closed',
    seed: async (lab) => {
      for (const name of ['n1', 'n3']) await merge(lab, nodes, { name }, { metadata: { labels: { disk: 'fast' } } })
      await merge(lab, nodes, { name: 'n3' }, { spec: { unschedulable: true } })
      const machine = clean.machine('fast', 'n1')
      await addMachine(lab.create, {
        ...machine,
        guest: { ...machine.guest, spec: { ...machine.guest.spec, nodeSelector: { disk: 'fast' } } },
      })
    },
    restore: (lab) => removeMachine(lab.client, 'fast'),
  },
  {
    id: 'NoRoomToMove',
    name: 'a guest for which only a closed node has room',
    seed: async (lab) => {
      await merge(lab, nodes, { name: 'n2' }, { spec: { unschedulable: true } })
      await status(lab, nodes, { name: 'n3' }, { allocatable: { memory: '1Gi' } })
      const machine = clean.machine('large', 'n1')
      const containers = machine.pod.spec.containers.map((one) => ({ ...one, resources: { requests: { memory: '3Gi' } } }))
      await addMachine(lab.create, { ...machine, pod: { ...machine.pod, spec: { ...machine.pod.spec, containers } } })
    },
    restore: async (lab) => {
      await status(lab, nodes, { name: 'n3' }, { allocatable: { memory: '4Gi' } })
      await removeMachine(lab.client, 'large')
    },
  },
  {
    id: 'QuotaTooSmall',
    name: 'a quota that is used up',
    seed: async (lab) => {
      const hard = { 'requests.memory': '5Gi', pods: '50' }
      const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'tight', namespace: 'default' }, spec: { hard } }
      await lab.create(resourceQuotas, { ...quota, status: { hard, used: { 'requests.memory': '5Gi', pods: '6' } } })
    },
    restore: (lab) => lab.client.delete(resourceQuotas, { name: 'tight', namespace: 'default' }),
  },
  {
    id: 'MigrationTooSlow',
    name: 'migrations that have not the time to end',
    seed: kubevirt({ configuration: { migrations: { bandwidthPerMigration: '1Mi', completionTimeoutPerGiB: 60 } } }),
    restore: kubevirt({ configuration: { migrations: null } }),
  },
  {
    id: 'MigrationTooSlow',
    name: 'a policy by which migrations have not the time to end',
    seed: (lab) =>
      lab.create(migrationPolicies, {
        apiVersion: 'migrations.kubevirt.io/v1alpha1',
        kind: 'MigrationPolicy',
        metadata: { name: 'gentle' },
        spec: { selectors: {}, bandwidthPerMigration: '2Mi' },
      }),
  },
  {
    id: 'BudgetCountsInVain',
    name: 'a budget that counts what cannot be counted',
    seed: (lab) => lab.create(podDisruptionBudgets, budget('half', { maxUnavailable: '50%' })),
  },
  {
    id: 'BudgetsOverlap',
    name: 'a budget for pods that have one',
    seed: (lab) => lab.create(podDisruptionBudgets, budget('second', { minAvailable: 1 })),
  },
]
