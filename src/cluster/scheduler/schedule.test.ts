import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node, NodeSpec } from '#api/core/v1/node.ts'
import type { Pod, PodSpec } from '#api/core/v1/pod.ts'
import { nodeState } from './node-state.ts'
import { schedule } from './schedule.ts'

function node(
  name: string,
  options: { labels?: Record<string, string>; spec?: NodeSpec; allocatable?: Record<string, string> } = {},
): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...options.labels } },
    spec: options.spec ?? {},
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...options.allocatable } },
  }
}

function pod(name: string, requests: Record<string, string> = {}, spec: Partial<PodSpec> = {}, labels: Record<string, string> = {}): Pod {
  return { metadata: { name, namespace: 'default', labels }, spec: { containers: [{ name: 'main', resources: { requests } }], ...spec } }
}

const zone = (operator: string, values: string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator, values }] }] },
    },
  },
})
const apart: Partial<PodSpec> = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  },
}

const term = (app: string) => ({
  weight: 10,
  podAffinityTerm: { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' },
})
const liking: Partial<PodSpec> = {
  affinity: {
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term('friend')] },
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term('foe')] },
  },
}
const fleeing: Partial<PodSpec> = {
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { ...term('web'), podAffinityTerm: { ...term('web').podAffinityTerm, matchLabelKeys: ['hash'] } },
      ],
    },
  },
}
const spread = (whenUnsatisfiable: string): Partial<PodSpec> => ({
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable, labelSelector: { matchLabels: { app: 'web' } } }],
})

const cases: { name: string; reason: string; pod: Pod; nodes: [Node, Pod[]][]; node?: string; message?: string }[] = [
  {
    name: 'prefers the node with more free resources',
    reason: 'least allocated wins',
    pod: pod('a', { cpu: '1' }),
    nodes: [
      [node('n1'), [pod('x', { cpu: '2' })]],
      [node('n2'), []],
    ],
    node: 'n2',
  },
  {
    name: 'counts the reasons',
    reason: 'virt-controller copies this text into the VMI',
    pod: pod('a', { memory: '16Gi' }, { nodeSelector: { disk: 'ssd' } }),
    nodes: [
      [node('n1', { labels: { disk: 'ssd' } }), []],
      [node('n2'), []],
    ],
    message:
      "0/2 nodes are available: 1 Insufficient memory, 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  },
  {
    name: 'names every short resource of a node',
    reason: 'one node can lack several',
    pod: pod('a', { cpu: '9', 'devices.kubevirt.io/kvm': '1' }),
    nodes: [[node('n1'), []]],
    message:
      '0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient devices.kubevirt.io/kvm. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  },
  {
    name: 'keeps off cordoned nodes',
    reason: 'spec.unschedulable',
    pod: pod('a'),
    nodes: [[node('n1', { spec: { unschedulable: true } }), []]],
    message:
      '0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  },
  {
    name: 'keeps off tainted nodes',
    reason: 'NoExecute keeps new pods away, too',
    pod: pod('a'),
    nodes: [[node('n1', { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] } }), []]],
    message:
      '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  },
  {
    name: 'accepts a tolerated taint',
    reason: 'Exists without a value tolerates every value',
    pod: pod('a', {}, { tolerations: [{ key: 'gpu', operator: 'Exists' }] }),
    nodes: [[node('n1', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } }), []]],
    node: 'n1',
  },
  {
    name: 'follows required node affinity',
    reason: 'In',
    pod: pod('a', {}, zone('In', ['b'])),
    nodes: [
      [node('n1', { labels: { zone: 'a' } }), []],
      [node('n2', { labels: { zone: 'b' } }), [pod('x', { cpu: '3' })]],
    ],
    node: 'n2',
  },
  {
    name: 'stops at the number of pods',
    reason: 'a node has room for so many pods',
    pod: pod('a'),
    nodes: [[node('n1', { allocatable: { pods: '1' } }), [pod('x')]]],
    message:
      '0/1 nodes are available: 1 Too many pods. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  },
  {
    name: 'does not count pods that have ended',
    reason: 'they have ended',
    pod: pod('a', { cpu: '3' }),
    nodes: [[node('n1'), [{ ...pod('x', { cpu: '3' }), status: { phase: 'Succeeded' } }]]],
    node: 'n1',
  },
  {
    name: 'keeps pods apart',
    reason: 'required anti-affinity',
    pod: pod('a', {}, apart),
    nodes: [
      [node('n1'), [pod('x', {}, {}, { app: 'web' })]],
      [node('n2'), [pod('y', { cpu: '3' })]],
    ],
    node: 'n2',
  },
  {
    name: 'respects the anti-affinity of existing pods',
    reason: 'it is symmetric',
    pod: pod('a', {}, {}, { app: 'web' }),
    nodes: [[node('n1'), [pod('x', {}, apart)]]],
    message:
      "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  },
  {
    name: 'assigns a host port only once',
    reason: 'processes share the network of the node',
    pod: pod('a', {}, { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] }),
    nodes: [[node('n1'), [pod('x', {}, { containers: [{ name: 'main', ports: [{ containerPort: 81, hostPort: 80 }] }] })]]],
    message:
      "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  },
  {
    name: 'reports preemptionPolicy Never',
    reason: 'preemptionPolicy',
    pod: pod('a', { cpu: '9' }, { preemptionPolicy: 'Never' }),
    nodes: [[node('n1'), []]],
    message: '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
  },
  {
    name: 'joins those that a pod likes and keeps away from those that it does not',
    reason: 'preferred affinity outweighs room',
    pod: pod('a', {}, liking),
    nodes: [
      [node('n1'), []],
      [node('n2'), [pod('x', { cpu: '3' }, {}, { app: 'friend' })]],
      [node('n3'), [pod('y', {}, {}, { app: 'foe' })]],
    ],
    node: 'n2',
  },
  {
    name: 'keeps apart only pods of the same template',
    reason: 'a new version may take the place of the old one',
    pod: pod('a', {}, fleeing, { app: 'web', hash: 'new' }),
    nodes: [
      [node('n1'), [pod('x', {}, {}, { app: 'web', hash: 'old' })]],
      [node('n2'), [pod('y', {}, {}, { app: 'web', hash: 'new' })]],
    ],
    node: 'n1',
  },
  {
    name: 'spreads pods evenly',
    reason: 'DoNotSchedule',
    pod: pod('a', { cpu: '1' }, spread('DoNotSchedule'), { app: 'web' }),
    nodes: [
      [node('n1', { labels: { zone: 'a' } }), [pod('x', {}, {}, { app: 'web' })]],
      [node('n2', { labels: { zone: 'b' }, allocatable: { cpu: '100m' } }), []],
      [node('n3'), []],
    ],
    message:
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints, 1 node(s) didn't match pod topology spread constraints (missing required label). preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling.",
  },
  {
    name: 'spreads pods as well as it can',
    reason: 'ScheduleAnyway',
    pod: pod('a', {}, spread('ScheduleAnyway'), { app: 'web' }),
    nodes: [
      [node('n1', { labels: { zone: 'a' } }), [pod('x', {}, {}, { app: 'web' })]],
      [node('n2', { labels: { zone: 'b' } }), [pod('y', { cpu: '3' })]],
    ],
    node: 'n2',
  },
  {
    name: 'reports that there is no node',
    reason: 'Kubernetes text',
    pod: pod('a'),
    nodes: [],
    message: 'no nodes available to schedule pods',
  },
]

suite('schedule()', () => {
  for (const one of cases) {
    test(one.name, () => {
      const placement = schedule(
        one.pod,
        one.nodes.map(([found, pods]) => nodeState(found, pods)),
      )
      const expected = one.node === undefined ? { kind: 'unschedulable', message: one.message } : { kind: 'node', node: one.node }
      assert.deepEqual(placement, expected, one.reason)
    })
  }
})
