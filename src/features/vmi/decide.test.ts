import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deepFreeze } from '#apimachinery/equality.ts'
import type { Pod, PodStatus } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance, VirtualMachineInstancePhase } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { decide } from './decide.ts'
import { names } from './names.ts'
import { noStorage, type StorageStatus } from './storage/volume-status.ts'

function vmi(phase: VirtualMachineInstancePhase, more: { deleting?: boolean; finalizers?: string[] } = {}): VirtualMachineInstance {
  return deepFreeze({
    metadata: {
      name: 'web',
      finalizers: more.finalizers ?? [names.finalizer],
      ...(more.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { domain: { devices: {} } },
    status: { phase },
  } satisfies VirtualMachineInstance)
}

function pod(status: PodStatus, more: { deleting?: boolean; nodeName?: string } = {}): Pod {
  return deepFreeze({
    metadata: { name: 'p', ...(more.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { containers: [], ...(more.nodeName === undefined ? {} : { nodeName: more.nodeName }) },
    status,
  } satisfies Pod)
}

const pending = pod({ phase: 'Pending' })
const ready = pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }, { nodeName: 'n1' })
const unready = pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }, { nodeName: 'n1' })
const dead = pod({ phase: 'Failed', message: 'no space' }, { nodeName: 'n1' })
const doomed = pod({ phase: 'Running' }, { deleting: true, nodeName: 'n1' })

const outgrown: Pod = {
  ...ready,
  metadata: { ...ready.metadata, annotations: { [names.guestSizeAnnotation]: '4 CPUs, 1Gi' } },
  spec: { ...ready.spec, containers: [{ name: 'compute', resources: {} }] },
}
const unfound: StorageStatus = { ...noStorage, obstacle: { reason: 'FailedPvcNotFound', message: 'no claim' }, isFilled: false }
const beingFilled: StorageStatus = { ...noStorage, hasDataVolumes: true, isFilled: false }

const rows: readonly (readonly [string, VirtualMachineInstance, readonly Pod[], string, StorageStatus?])[] = [
  ['creates the pod of a new VMI', vmi('Pending'), [], 'createPod'],
  ['creates none before the finalizer', vmi('Pending', { finalizers: [] }), [], 'addFinalizer'],
  ['creates none before its claims exist', vmi('Pending'), [], 'awaitStorage', unfound],
  ['creates one that a claim may wait for', vmi('Pending'), [], 'createPod', beingFilled],
  ['continues with a pod that an earlier pass created', vmi('Pending'), [pending], 'enterScheduling'],
  ['reports what delays the pod', vmi('Scheduling'), [pending], 'enterScheduling'],
  ['waits until the pod is ready', vmi('Scheduling'), [unready], 'enterScheduling'],
  ['hands over when the pod is ready', vmi('Scheduling'), [ready], 'handOver'],
  ['does not hand over before its claims are populated', vmi('Scheduling'), [ready], 'enterScheduling', beingFilled],
  ['fails with its pod', vmi('Scheduling'), [dead], 'fail'],
  ['fails when its pod is deleted', vmi('Scheduling'), [doomed], 'fail'],
  ['asks the API before it treats the pod as deleted', vmi('Scheduling'), [], 'confirmPodGone'],
  ['only mirrors readiness once the node owns it', vmi('Running'), [dead], 'mirrorReadiness'],
  ['never creates another pod', vmi('Running'), [], 'mirrorReadiness'],
  ['ignores an ended VMI', vmi('Succeeded'), [dead], 'none'],
  ['deletes the pods first', vmi('Running', { deleting: true }), [ready], 'deletePods'],
  ['deletes them once, and reports it', vmi('Running', { deleting: true }), [doomed], 'mirrorReadiness'],
  ['removes its finalizer when they are deleted', vmi('Running', { deleting: true }), [], 'removeFinalizer'],
  ['keeps foreign finalizers', vmi('Running', { deleting: true, finalizers: ['x/y'] }), [], 'none'],
]

suite('decide() for VMIs', () => {
  for (const [name, object, pods, expected, storage = noStorage] of rows) {
    test(name, () => assert.equal(decide({ vmi: object, pods, storage, config: defaultClusterConfig }).kind, expected))
  }
})

suite('decide() for the pod of a running guest', () => {
  const resizes = (object: VirtualMachineInstance, one: Pod): boolean => {
    const action = decide({ vmi: object, pods: [one], storage: noStorage, config: defaultClusterConfig })
    return action.kind === 'mirrorReadiness' && action.resize !== undefined
  }
  const ended: Pod = { ...outgrown, status: { phase: 'Failed' } }
  const ending: Pod = { ...outgrown, metadata: { ...outgrown.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }

  test('resizes it with its guest', () => assert.equal(resizes(vmi('Running'), outgrown), true))
  test('leaves it alone before the guest runs, and when either ends', () => {
    assert.deepEqual(
      [resizes(vmi('Scheduled'), outgrown), resizes(vmi('Running'), ended), resizes(vmi('Running'), ending)],
      [false, false, false],
    )
    assert.equal(resizes(vmi('Running', { deleting: true }), ending), false)
  })
})
