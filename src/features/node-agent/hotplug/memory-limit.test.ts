import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { memoryWait } from './memory-limit.ts'

const mebibyte = 2 ** 20

/** A guest of 2Gi, beside which QEMU needs 62 MiB. */
function vmiWith(conditions: NonNullable<VirtualMachineInstance['status']>['conditions'] = []): VirtualMachineInstance {
  const domain = { devices: { autoattachGraphicsDevice: false }, memory: { guest: '2Gi' } }
  return { metadata: {}, spec: { domain }, status: { conditions } }
}

function podWith(limit: string | undefined, inEffect?: string): Pod {
  const resources = (memory: string | undefined): object => ({ resources: memory === undefined ? {} : { limits: { memory } } })
  const status = inEffect === undefined ? {} : { status: { containerStatuses: [{ name: 'compute', ...resources(inEffect) }] } }
  return { metadata: {}, spec: { containers: [{ name: 'compute', ...resources(limit) }] }, ...status } as Pod
}

const obstacle = { type: 'steadyvm.io/PodResized', status: 'False', reason: 'Deferred', message: 'no room' } as const
const rows: readonly (readonly [string, Pod | undefined, VirtualMachineInstance, string | undefined])[] = [
  ['at once in a pod without a limit', podWith(undefined), vmiWith(), undefined],
  ['at once when the limit allows it', podWith('2110Mi'), vmiWith(), undefined],
  ['when its pod has been resized', podWith('2109Mi'), vmiWith(), 'WaitsForPod'],
  ['not before the limit is in effect', podWith('4Gi', '1Gi'), vmiWith(), 'WaitsForPod'],
  ['by a migration when its pod is not resized', podWith('4Gi', '1Gi'), vmiWith([obstacle]), 'PodTooSmall'],
  ['at once when its pod is not resized and has no limit', podWith(undefined), vmiWith([obstacle]), undefined],
]

suite('a guest gets memory', () => {
  for (const [what, pod, vmi, reason] of rows) test(what, () => assert.equal(memoryWait(vmi, pod, 2048 * mebibyte)?.reason, reason))
})
