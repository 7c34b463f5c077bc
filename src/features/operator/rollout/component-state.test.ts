import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Pod, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { componentPodOf, isUnedited, generationOf, schedulableNodes, deploymentStateOf } from './component-state.ts'
import { releaseAnnotations } from '../manifests/install-strategy.ts'

const annotations = { [releaseAnnotations.identifier]: 'wanted' }

const [wanted, other] = ['wanted', 'other'].map((mark) => ({ metadata: { annotations: { [releaseAnnotations.identifier]: mark } } })) as [
  object,
  object,
]

suite('rolloutStateOf()', () => {
  const rolled = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, observedGeneration: 3 }
  const rows: readonly (readonly [string, Deployment['status'], boolean])[] = [
    ['all pods are new and ready', rolled, true],
    ['its generation is not observed yet', { ...rolled, observedGeneration: 2 }, false],
    ['an old pod exists', { ...rolled, replicas: 2 }, false],
    ['the new pod is not ready', { ...rolled, availableReplicas: 0 }, false],
    ['there is no status', undefined, false],
  ]
  for (const [when, status, isRolled] of rows) {
    test(`returns ${isRolled ? 'rolled' : 'not rolled'} when ${when}`, () => {
      const deployment = { metadata: { generation: 3, annotations }, spec: { replicas: 1 }, status } as unknown as Deployment
      assert.equal(deploymentStateOf(deployment, wanted).isRolled, isRolled)
    })
  }

  test('counts nothing of another version', () => {
    const deployment = { metadata: { generation: 3, annotations }, spec: { replicas: 1 }, status: rolled } as unknown as Deployment
    assert.deepEqual(deploymentStateOf(deployment, other), {
      isWanted: false,
      isRolled: true,
      isReplacing: true,
      desired: 1,
      updated: 0,
      ready: 0,
    })
    assert.equal(deploymentStateOf(undefined, wanted).isWanted, false)
  })
})

suite('agentPodOf()', () => {
  const end = { terminated: { exitCode: 137, message: 'last words\n' } }
  const pod = (isReady: boolean, restartCount: number): Pod =>
    ({
      metadata: { annotations },
      spec: { nodeName: 'n1', containers: [] },
      status: {
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
        containerStatuses: [{ restartCount, lastState: end }],
      },
    }) as unknown as Pod

  test('reports no crash loop for an agent that was killed once and restarts', () => {
    assert.equal(componentPodOf(pod(false, 1), wanted).crash, undefined)
    assert.equal(componentPodOf(pod(true, 5), wanted).crash, undefined)
    assert.equal(componentPodOf(pod(false, 1), wanted).lastEnd, 'ended with exit code 137: last words')
    assert.equal(componentPodOf(pod(true, 5), wanted).lastEnd, undefined)
  })

  test('reports the termination message of an agent in a crash loop', () =>
    assert.equal(componentPodOf(pod(false, 2), wanted).crash, 'ended with exit code 137: last words'))

  test('returns the node of a pod that is not bound yet', () => {
    const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n7'] }] }]
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
    assert.equal(componentPodOf({ metadata: {}, spec: { containers: [], affinity } }, wanted).node, 'n7')
  })
})

suite('isUnedited()', () => {
  const service = (spec: object): Service =>
    ({
      metadata: {},
      spec: { selector: { a: 'b' }, ports: [{ port: 443, targetPort: 8443 }], clusterIP: '127.96.0.7', ...spec },
    }) as Service
  const holding = (spec: object): KubeObject => ({ metadata: {}, spec }) as KubeObject
  const counted = (generation: number): KubeObject => ({ metadata: { generation } })
  const rows: readonly (readonly [string, KubeObject | undefined, KubeObject | undefined, boolean])[] = [
    ['is unchanged', service({}), service({}), true],
    ['has its fields in another order', holding({ b: 1, a: { d: 2, c: 3 } }), holding({ a: { c: 3, d: 2 }, b: 1 }), true],
    ['has another value', service({ selector: { a: 'c' } }), service({}), false],
    ['lacks a field', service({ ports: [] }), service({}), false],
    ['has an additional field', service({ externalName: 'x' }), service({}), false],
    ['has the recorded generation', counted(3), counted(3), true],
    ['was changed again', counted(4), counted(3), false],
    ['has a generation, and none was recorded', counted(1), service({}), false],
    ['has no annotation', service({}), undefined, false],
    ['is gone', undefined, service({}), false],
  ]
  for (const [when, present, then, is] of rows)
    test(`returns ${is} for an object that ${when}`, () => assert.equal(isUnedited(present, then && generationOf(then)), is))
})

test('nodesOf() returns only nodes that agents may run on', () => {
  const node = (name: string, zone: string): Node => ({ metadata: { name, labels: { zone } }, spec: {}, status: {} }) as unknown as Node
  const template = { spec: { containers: [], nodeSelector: { zone: 'a' } } }
  const found = schedulableNodes([node('one', 'a'), node('two', 'b')], template as unknown as PodTemplateSpec)
  assert.deepEqual(found, [{ name: 'one', isReady: false, readySince: undefined }])
})
