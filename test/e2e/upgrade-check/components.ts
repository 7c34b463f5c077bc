import { validatingWebhookConfigurations } from '#api/admissionregistration/v1/resources.ts'
import { deployments } from '#api/apps/v1/resources.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { roles } from '#api/rbac/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import * as clean from '#features/upgrade-check/clean-cluster.fixture.ts'
import { type UpgradeLab } from '../../support/upgrade-lab.ts'
import { agentIs, key, kubevirt, merge, once, ready, status, type BadCluster } from './bad-cluster.ts'

/** Simulates the kubelet and the DaemonSet of a node whose agent is deleted, and the new agent. */
async function replaceAgent(lab: UpgradeLab, node: string): Promise<void> {
  const place = { name: `virt-handler-${node}`, namespace: key.namespace }
  await once(async () => {
    try {
      const { metadata } = await lab.client.get(pods, place)
      return metadata.deletionTimestamp === undefined ? undefined : metadata
    } catch (error) {
      if (isNotFound(error)) return {}
      throw error
    }
  })
  await lab.client.delete(pods, place, { gracePeriodSeconds: 0 }).catch(() => {})
  const { metadata, ...pod } = clean.agent(node)
  // Another name, as a DaemonSet gives it: kubectl waits for a pod to go by its name.
  await lab.create(pods, { ...pod, metadata: { ...metadata, name: `${metadata.name ?? ''}-next` } })
  await beat(lab, node, Date.now())
}

function beat(lab: UpgradeLab, name: string, ms: number): Promise<unknown> {
  return merge(lab, nodes, { name }, { metadata: { annotations: { 'kubevirt.io/heartbeat': JSON.stringify(new Date(ms).toISOString()) } } })
}

const largeAgent = {
  resourceType: 'DaemonSet',
  resourceName: 'virt-handler',
  type: 'strategic',
  patch: JSON.stringify({
    spec: { template: { spec: { containers: [{ name: 'virt-handler', resources: { requests: { memory: '4Gi' } } }] } } },
  }),
}

/** Defects of nodes, components and their rights. */
export const badComponents: readonly BadCluster[] = [
  {
    id: 'NodeNotReady',
    name: 'a node that is not ready',
    seed: (lab) => ready(lab, 'n3', false),
    others: (lab) => ready(lab, 'n3', true),
  },
  {
    id: 'AgentSilent',
    name: 'an agent that has not reported for an hour',
    seed: (lab) => beat(lab, 'n2', Date.now() - 3_600_000),
    others: (lab) => replaceAgent(lab, 'n2'),
  },
  {
    id: 'NodeLeftBehind',
    name: 'an agent of a version that was',
    seed: (lab) => agentIs(lab, 'n3', 'v0.1.0'),
    others: (lab) => replaceAgent(lab, 'n3'),
  },
  {
    id: 'NoRoomForAgent',
    name: 'a node agent that requests more than a node has',
    seed: kubevirt({ customizeComponents: { patches: [largeAgent] } }),
    restore: kubevirt({ customizeComponents: null }),
  },
  {
    id: 'ComponentNotReady',
    name: 'a component that is down',
    seed: (lab) => status(lab, deployments, { name: 'virt-api', namespace: key.namespace }, { availableReplicas: 0, readyReplicas: 0 }),
    others: (lab) => status(lab, deployments, { name: 'virt-api', namespace: key.namespace }, { availableReplicas: 1, readyReplicas: 1 }),
  },
  {
    id: 'WebhookUnanswered',
    name: "somebody's webhook that nobody answers",
    seed: (lab) =>
      lab.create(validatingWebhookConfigurations, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'policies' },
        webhooks: [
          {
            name: 'pods.policies.example',
            clientConfig: { service: { namespace: 'policies', name: 'policies' } },
            rules: [{ operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['*'], resources: ['deployments'] }],
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      }),
  },
  {
    id: 'OperatorLacksRight',
    name: 'an operator that may not write what it installs',
    seed: async (lab) => {
      const place = { name: 'system:steadyvm:virt-operator', namespace: key.namespace }
      const { rules } = await lab.client.get(roles, place)
      await merge(lab, roles, place, { rules: (rules ?? []).filter(({ resources }) => resources?.includes('services') !== true) })
    },
  },
]
