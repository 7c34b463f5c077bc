import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { nodeFactsOf } from './node-facts.ts'

const role = 'node-role.kubernetes.io/'

/** A node with the labels and taints of its roles. */
function node(roles: readonly string[], { tainted = false, labels = {}, architecture = 'amd64' } = {}): Node {
  const own = Object.fromEntries(roles.map((name) => [`${role}${name}`, '']))
  const taints = tainted ? roles.map((name) => ({ key: `${role}${name}`, effect: 'NoSchedule' })) : []
  return { metadata: { labels: { ...own, ...labels } }, spec: { taints }, status: { nodeInfo: { architecture } } } as never
}

test('nodes of the control plane and arbiters run guests only where nothing keeps them away', () => {
  const rows: readonly (readonly [why: string, nodes: readonly Node[], planes: number, workers: number])[] = [
    ['a single node', [node(['control-plane'])], 1, 1],
    ['a node without roles', [node([])], 0, 1],
    ['tainted control plane', [node(['control-plane'], { tainted: true }), node([])], 1, 1],
    ['labelled as a worker, too', [node(['control-plane', 'worker'], { tainted: true })], 1, 1],
    ['an arbiter beside two', [node(['master', 'worker']), node(['master', 'worker']), node(['arbiter'], { tainted: true })], 2, 2],
    ['an arbiter that takes pods', [node(['arbiter'])], 0, 1],
  ]
  for (const [why, nodes, controlPlanes, workers] of rows) {
    const facts = nodeFactsOf(nodes)
    assert.deepEqual([facts.controlPlanes, facts.workers], [controlPlanes, workers], why)
  }
})

test('the placement decides which architectures guests can have', () => {
  const nodes = [node([], { labels: { zone: 'a' } }), node([], { labels: { zone: 'b' }, architecture: 'arm64' })]
  const workload = { nodeSelector: { zone: 'b' } }
  const term = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } }
  const of = (placement: object): readonly string[] =>
    nodeFactsOf(nodes, { spec: { deployment: { nodePlacements: { workload: placement } } } } as never).workloadArchitectures
  assert.deepEqual([of({}), of(workload), of({ affinity })], [['amd64', 'arm64'], ['arm64'], ['amd64']])
})
