import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { InformerSet } from '#runtime/cache/informer-set.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { defineStateMetrics } from './state-metrics.ts'

const metadata = { namespace: 'kubevirt', name: 'virt-api-1' }
const stored: Readonly<Record<string, readonly object[]>> = {
  pods: [
    {
      metadata,
      spec: {
        nodeName: 'node-1',
        containers: [{ name: 'virt-api' }],
        volumes: [
          { name: 'a', persistentVolumeClaim: { claimName: 'c' } },
          { name: 'b', ephemeral: {} },
          { name: 'c', emptyDir: {} },
        ],
      },
      status: {
        phase: 'Running',
        hostIP: '10.0.0.1',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'virt-api', restartCount: 3 }],
      },
    },
    { metadata: { namespace: 'n', name: 'new' }, spec: { containers: [{ name: 'c' }] } },
  ],
  nodes: [
    {
      metadata: { name: 'node-1', labels: { 'kubevirt.io/schedulable': 'true', 'node-role.kubernetes.io/arbiter': '' } },
      spec: { unschedulable: true },
      status: { allocatable: { cpu: '2', 'devices.kubevirt.io/kvm': '1k' } },
    },
  ],
  deployments: [{ metadata: { namespace: 'kubevirt', name: 'virt-api' }, spec: { replicas: 2 } }],
  daemonsets: [
    { metadata: { namespace: 'kubevirt', name: 'virt-handler' }, spec: {}, status: { desiredNumberScheduled: 2, numberReady: 1 } },
  ],
  persistentvolumeclaims: [
    {
      metadata: { namespace: 'n', name: 'c', labels: { 'restore.kubevirt.io/source-vm-name': 'web' } },
      spec: { storageClassName: 'local', volumeName: 'pv-1', resources: { requests: { storage: '1Gi' } } },
    },
  ],
}

test('the state of objects has the names, labels and units of kube-state-metrics', async () => {
  const informer = ({ plural }: { readonly plural: string }) => ({ list: () => (stored[plural] ?? []) as readonly KubeObject[] })
  const metrics = createMetrics()
  defineStateMetrics(metrics, { informer } as unknown as Pick<InformerSet, 'informer'>)
  const found = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('kube_'))
  const pod = 'namespace="kubevirt",pod="virt-api-1"'
  const fresh = 'namespace="n",pod="new"'
  const claim = 'namespace="n",persistentvolumeclaim="c"'
  const wanted = [
    `kube_pod_info{${pod},node="node-1",host_ip="10.0.0.1"} 1`,
    `kube_pod_info{${fresh},node="",host_ip=""} 1`,
    `kube_pod_status_phase{${pod},phase="Running"} 1`,
    `kube_pod_status_phase{${fresh},phase="Pending"} 1`,
    `kube_pod_status_ready{${pod},condition="true"} 1`,
    `kube_pod_status_ready{${fresh},condition="true"} 0`,
    `kube_pod_container_status_restarts_total{${pod},container="virt-api"} 3`,
    `kube_pod_spec_volumes_persistentvolumeclaims_info{${pod},volume="a",persistentvolumeclaim="c"} 1`,
    `kube_pod_spec_volumes_persistentvolumeclaims_info{${pod},volume="b",persistentvolumeclaim="virt-api-1-b"} 1`,
    'kube_node_labels{node="node-1",label_kubevirt_io_schedulable="true",label_node_role_kubernetes_io_arbiter=""} 1',
    'kube_node_role{node="node-1",role="arbiter"} 1',
    'kube_node_spec_unschedulable{node="node-1"} 1',
    'kube_node_status_allocatable{node="node-1",resource="cpu",unit="core"} 2',
    'kube_node_status_allocatable{node="node-1",resource="devices_kubevirt_io_kvm",unit="integer"} 1000',
    'kube_deployment_spec_replicas{namespace="kubevirt",deployment="virt-api"} 2',
    'kube_daemonset_status_desired_number_scheduled{namespace="kubevirt",daemonset="virt-handler"} 2',
    'kube_daemonset_status_number_ready{namespace="kubevirt",daemonset="virt-handler"} 1',
    `kube_persistentvolumeclaim_info{${claim},storageclass="local",volumename="pv-1"} 1`,
    `kube_persistentvolumeclaim_labels{${claim},label_restore_kubevirt_io_source_vm_name="web"} 1`,
    `kube_persistentvolumeclaim_resource_requests_storage_bytes{${claim}} 1073741824`,
  ]
  assert.deepEqual(found, wanted)
})
