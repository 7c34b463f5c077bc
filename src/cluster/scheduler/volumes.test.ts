import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { nodeState } from './node-state.ts'
import { schedule } from './schedule.ts'

const states = ['n1', 'n2'].map((name) => {
  const node: Node = { metadata: { name, labels: { 'kubernetes.io/hostname': name } }, status: { allocatable: { pods: '10' } } }
  return nodeState(node, [])
})
const on = (node: string): PersistentVolume => ({
  metadata: { name: `disk-${node}` },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'manual',
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }] },
    },
  },
  status: { phase: 'Available' },
})
const claim = (storageClassName: string, more: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  metadata: { namespace: 'default', name: 'data' },
  ...more,
  spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...more.spec },
})
const pod: Pod = {
  metadata: { namespace: 'default', name: 'p' },
  spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
}
const classes: Record<string, StorageClass> = {
  manual: { metadata: { name: 'manual' }, provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' },
  local: { metadata: { name: 'local' }, provisioner: 'steadyvm.io/local', volumeBindingMode: 'WaitForFirstConsumer' },
  now: { metadata: { name: 'now' }, provisioner: 'steadyvm.io/local' },
}
const refused = (why: string): object => ({
  kind: 'unschedulable',
  message: `0/2 nodes are available: ${why}. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`,
})
const placed = (node: string): object => ({ kind: 'node', node })

suite('schedule() with volumes', () => {
  const cases: { name: string; claim?: PersistentVolumeClaim; volumes?: PersistentVolume[]; want: object }[] = [
    { name: 'waits for a missing claim', want: refused('persistentvolumeclaim "data" not found') },
    {
      name: 'waits for an unbound claim with Immediate binding',
      claim: claim('now'),
      want: refused('pod has unbound immediate PersistentVolumeClaims'),
    },
    {
      name: 'chooses the node of the volume',
      claim: claim('manual', { spec: { volumeName: 'disk-n2' }, status: { phase: 'Bound' } }),
      volumes: [on('n1'), on('n2')],
      want: placed('n2'),
    },
    {
      name: 'rejects all nodes when none reaches the volume',
      claim: claim('manual', { spec: { volumeName: 'disk-n9' }, status: { phase: 'Bound' } }),
      volumes: [on('n9')],
      want: refused("2 node(s) didn't match PersistentVolume's node affinity"),
    },
    { name: 'chooses a node with a free volume', claim: claim('manual'), volumes: [on('n2')], want: placed('n2') },
    {
      name: 'rejects all nodes without a free volume',
      claim: claim('manual'),
      want: refused("2 node(s) didn't find available persistent volumes to bind"),
    },
    { name: 'accepts any node when a volume can be provisioned', claim: claim('local'), want: placed('n1') },
    {
      name: 'chooses the selected node of the claim',
      claim: claim('local', {
        metadata: { namespace: 'default', name: 'data', annotations: { 'volume.kubernetes.io/selected-node': 'n2' } },
      }),
      want: placed('n2'),
    },
  ]
  for (const one of cases) {
    test(one.name, () => {
      const view = { claim: () => one.claim, storageClass: (name: string) => classes[name], volumes: () => one.volumes ?? [] }
      assert.deepEqual(schedule(pod, states, view), one.want)
    })
  }
})
