import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { networkAnnotations, networksPatch } from './selection.ts'

const guest = (networks: readonly object[], interfaces: readonly object[] = []): VirtualMachineInstance =>
  ({
    metadata: { name: 'web', namespace: 'team' },
    spec: { networks, domain: { devices: { interfaces } } },
  }) as unknown as VirtualMachineInstance

test('networkAnnotations() asks Multus for the networks of a guest, as KubeVirt does', () => {
  assert.deepEqual(networkAnnotations(guest([{ name: 'default', pod: {} }])), {})
  const networks = [
    { name: 'default', pod: {} },
    { name: 'red', multus: { networkName: 'red-net' } },
    { name: 'blue', multus: { networkName: 'shared/blue-net' } },
  ]
  assert.deepEqual(networkAnnotations(guest(networks, [{ name: 'blue', macAddress: '02:00:00:00:00:01' }])), {
    'k8s.v1.cni.cncf.io/networks':
      '[{"namespace":"team","name":"red-net","interface":"podb1f51a511f1"},{"namespace":"shared","name":"blue-net","mac":"02:00:00:00:00:01","interface":"pod16477688c0e"}]',
  })
  assert.deepEqual(networkAnnotations(guest([{ name: 'main', multus: { networkName: 'shared/main', default: true } }])), {
    'v1.multus-cni.io/default-network': 'shared/main',
  })
})

test('networksPatch() has the annotation of a pod follow the networks of its guest', () => {
  const podOf = (annotations: Record<string, string> = {}): Pod => ({ metadata: { name: 'p', annotations }, spec: { containers: [] } })
  const [alone, plugged] = [guest([{ name: 'default', pod: {} }]), guest([{ name: 'red', multus: { networkName: 'red' } }])]
  const annotations = networkAnnotations(plugged)
  assert.equal(networksPatch(alone, podOf()), undefined)
  assert.equal(networksPatch(plugged, podOf(annotations)), undefined)
  assert.deepEqual(networksPatch(plugged, podOf()), annotations)
  assert.deepEqual(networksPatch(alone, podOf(annotations)), { 'k8s.v1.cni.cncf.io/networks': null })
})
