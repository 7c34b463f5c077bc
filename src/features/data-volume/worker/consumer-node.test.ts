import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod, PodPhase } from '#api/core/v1/pod.ts'
import { consumerOf, onNode, type Consumer } from './consumer-node.ts'

interface PodOptions {
  readonly phase?: PodPhase
  readonly labels?: Record<string, string>
  readonly claimName?: string
}

suite('consumerOf()', () => {
  const selected = { 'volume.kubernetes.io/selected-node': 'n1' }
  const claim = (mode: string, annotations: Record<string, string> = selected): PersistentVolumeClaim => ({
    metadata: { name: 'root', uid: 'c', annotations },
    spec: { accessModes: [mode] },
  })
  const pod = (nodeName: string, { phase = 'Pending', labels = {}, claimName = 'root' }: PodOptions = {}): Pod => ({
    metadata: { name: 'p', labels },
    spec: { nodeName, containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
    status: { phase },
  })
  const once = 'ReadWriteOnce'
  const rows: readonly (readonly [string, PersistentVolumeClaim, readonly Pod[], Consumer | undefined])[] = [
    ['that of the pod', claim(once, {}), [pod('n2')], { node: 'n2' }],
    ['the selected one, until the pod has it', claim(once), [pod('')], { node: 'n1' }],
    ['not known where the scheduler selects none', claim(once, {}), [pod('')], { node: undefined }],
    ['that of the pod, if it was scheduled again', claim(once), [pod('n2')], { node: 'n2' }],
    ['none without such a pod', claim(once), [pod('n2', { claimName: 'other' })], undefined],
    ['none for a pod that has ended', claim(once), [pod('n2', { phase: 'Succeeded' })], undefined],
    ['not that of a former worker', claim(once), [pod('n2', { labels: { 'steadyvm.io/fills-claim': 'c' } })], undefined],
    ['none for a volume that is shared', claim('ReadWriteMany'), [pod('n2')], undefined],
  ]
  for (const [name, of, all, expected] of rows) test(name, () => assert.deepEqual(consumerOf(of, all), expected))
})

test('onNode() keeps each term of an affinity, and adds the node to all', () => {
  const field = { key: 'metadata.name', operator: 'In', values: ['n1'] }
  const required = (nodeSelectorTerms: object[]): object => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  })
  assert.deepEqual(onNode('n1'), required([{ matchFields: [field] }]))
  const terms = ['a', 'b'].map((key) => ({ matchExpressions: [{ key, operator: 'Exists' }] }))
  assert.deepEqual(onNode('n1', required(terms)), required(terms.map((term) => ({ ...term, matchFields: [field] }))))
})
