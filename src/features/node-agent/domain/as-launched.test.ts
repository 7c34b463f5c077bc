import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { asLaunched } from './as-launched.ts'
import { launchedDisks } from './launched-disks.ts'

test('asLaunched() starts a guest with the volumes that a launcher of an earlier release mounts', () => {
  const hot = (name: string): object => ({ name, persistentVolumeClaim: { claimName: name, hotpluggable: true } })
  const disks = ['a', 'b'].map((name) => ({ name, disk: { bus: 'virtio' } }))
  const vmi = { metadata: {}, spec: { volumes: [hot('a'), hot('b')], domain: { devices: { disks } } } } as unknown as VirtualMachineInstance
  const podWith = (...names: readonly string[]): Pod =>
    ({ metadata: {}, spec: { containers: [], volumes: names.map((name) => ({ name })) } }) as Pod
  const launched = (pod: Pod | undefined): string[] => launchedDisks(asLaunched(vmi, pod).spec).map(({ name }) => name)
  assert.deepEqual([launched(undefined), launched(podWith('private')), launched(podWith('disk-b'))], [[], [], ['b']])
  assert.equal(asLaunched(vmi, podWith('private')), vmi)
})
