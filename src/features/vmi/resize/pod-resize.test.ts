import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deepFreeze } from '#apimachinery/equality.ts'
import type { ResourceRequirements } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { DomainSpec } from '#api/kubevirt/v1/domain/domain.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { launcherPodOf } from '../launcher/launcher-pod.ts'
import { resizeOf } from './pod-resize.ts'

type Resources = NonNullable<DomainSpec['resources']>

function guest(sockets: number, memory: string, resources: Resources = {}): VirtualMachineInstance {
  const devices = { autoattachGraphicsDevice: false }
  const spec = { domain: { devices, cpu: { sockets }, memory: { guest: memory }, resources } }
  return deepFreeze({ metadata: { name: 'web', namespace: 'default', uid: 'u1' }, spec, status: { phase: 'Running' as const } })
}

/** The pod that the guest was started in, changed as admission of a namespace would. */
function podOf(vmi: VirtualMachineInstance, limits: Record<string, string> = {}, qosClass = 'Burstable'): Pod {
  const pod = launcherPodOf(vmi, { image: 'l', inContainer: true, config: defaultClusterConfig })
  const [compute, ...others] = pod.spec.containers
  const resources = { ...compute?.resources, limits: { ...compute?.resources?.limits, ...limits } }
  const hasLimits = Object.keys(resources.limits).length > 0
  const container = { name: 'compute', ...compute, ...(hasLimits ? { resources } : {}) }
  return deepFreeze({ ...pod, spec: { ...pod.spec, containers: [container, ...others] }, status: { qosClass } } as Pod)
}

const small = guest(1, '1Gi')
const started = podOf(small)
const limited = { limits: { memory: '2Gi', cpu: '1' }, requests: { cpu: '1' } }
const fixed = { limits: { memory: '1Gi', cpu: '1' }, requests: { memory: '1Gi', cpu: '1' } }

// 50Mi for QEMU, 8Mi for each vCPU, and 1/512 of the guest's memory.
const rows: readonly (readonly [string, VirtualMachineInstance, Pod, ResourceRequirements | undefined])[] = [
  ['stays as long as its guest does', small, started, undefined],
  ['stays when the same size is written otherwise', guest(1, '1024Mi'), started, undefined],
  ['gets CPU for sockets', guest(3, '1Gi'), started, { requests: { cpu: '300m', memory: '1100Mi' } }],
  ['gets memory', guest(1, '2Gi'), started, { requests: { cpu: '100m', memory: '2110Mi' } }],
  ['gives back what the guest gave back', small, podOf(guest(1, '2Gi')), { requests: { cpu: '100m', memory: '1084Mi' } }],
  [
    'may use as much as the VM allows',
    guest(1, '2Gi', limited),
    podOf(guest(1, '1Gi', limited)),
    { requests: { cpu: '1', memory: '2110Mi' }, limits: { cpu: '1', memory: '2110Mi' } },
  ],
  [
    'may use more CPU when the VMI allows more',
    guest(2, '1Gi', { limits: { cpu: '2' }, requests: { cpu: '2' } }),
    podOf(guest(1, '1Gi', { limits: { cpu: '1' }, requests: { cpu: '1' } })),
    { requests: { cpu: '2', memory: '1092Mi' }, limits: { cpu: '2' } },
  ],
  [
    'keeps its distance to the default limit of its namespace',
    guest(1, '2Gi'),
    podOf(small, { memory: '1284Mi', cpu: '1' }),
    { requests: { cpu: '100m', memory: '2110Mi' }, limits: { memory: '2310Mi', cpu: '1' } },
  ],
  [
    'keeps its memory limit when the guest gets smaller',
    small,
    podOf(guest(1, '2Gi'), { memory: '4Gi' }),
    { requests: { cpu: '100m', memory: '1084Mi' }, limits: { memory: '4Gi' } },
  ],
  [
    'stays Guaranteed',
    guest(2, '1Gi', { limits: { memory: '1Gi', cpu: '2' }, requests: { memory: '1Gi', cpu: '2' } }),
    podOf(guest(1, '1Gi', fixed), {}, 'Guaranteed'),
    { requests: { memory: '1092Mi', cpu: '2' }, limits: { memory: '1092Mi', cpu: '2' } },
  ],
]

suite('resizeOf(): the pod of a running guest', () => {
  for (const [what, vmi, pod, expected] of rows)
    test(what, () => assert.deepEqual(resizeOf(vmi, pod, defaultClusterConfig)?.resources, expected))

  test('keeps its devices', () => {
    const device = { 'devices.kubevirt.io/kvm': '1' }
    assert.deepEqual(resizeOf(guest(2, '1Gi'), podOf(small, device), defaultClusterConfig)?.resources?.limits, device)
  })

  test('is left alone while its guest migrates, and when it notes no size', () => {
    const migrating = { ...guest(2, '1Gi'), status: { migrationState: { migrationUid: 'm1' } } }
    const older = { ...started, metadata: { ...started.metadata, annotations: {} } }
    assert.equal(resizeOf(migrating, started, defaultClusterConfig), undefined)
    assert.equal(resizeOf(guest(2, '1Gi'), older, defaultClusterConfig), undefined)
  })

  test('gives nothing back before the guest does', () => {
    const holding = { ...small, status: { memory: { guestCurrent: '2Gi' } } }
    const larger = podOf(guest(1, '2Gi'))
    assert.equal(resizeOf(holding, larger, defaultClusterConfig), undefined)
    assert.notEqual(resizeOf({ ...holding, status: { memory: { guestCurrent: '1Gi' } } }, larger, defaultClusterConfig), undefined)
  })

  test('does not follow another configuration of the cluster', () => {
    assert.equal(resizeOf(small, started, { ...defaultClusterConfig, cpuAllocationRatio: 1 }), undefined)
  })

  test('gets only the note when it was killed before the note', () => {
    const larger = guest(2, '2Gi')
    const { spec } = podOf(larger)
    assert.deepEqual(resizeOf(larger, { ...started, spec }, defaultClusterConfig), { size: '2 CPUs, 2Gi' })
  })
})
