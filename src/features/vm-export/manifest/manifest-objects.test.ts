import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { ConfigMap } from '#api/core/v1/config-map.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { manifestObjects } from './manifest-objects.ts'

const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
const claimOf = (name: string): PersistentVolumeClaim => ({
  metadata: { namespace: 'n', name, uid: 'u' },
  spec: { ...claimSpec, volumeMode: 'Filesystem', volumeName: 'pv', storageClassName: 'local' },
})

suite('manifestObjects()', () => {
  const vm: VirtualMachine = {
    metadata: {
      namespace: 'n',
      name: 'web',
      uid: 'u',
      resourceVersion: '7',
      labels: { app: 'web' },
      annotations: { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      finalizers: ['f'],
    },
    spec: {
      runStrategy: 'Halted',
      // In another order than the volumes.
      dataVolumeTemplates: [
        { metadata: { name: 'extra' }, spec: { source: { blank: {} }, pvc: claimSpec } },
        { metadata: { name: 'root' }, spec: { sourceRef: { kind: 'DataSource', name: 'fedora' }, storage: claimSpec } },
        {
          metadata: { name: 'restored' },
          spec: { pvc: { ...claimSpec, dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } } },
        },
      ],
      template: {
        spec: {
          domain: { devices: {} },
          volumes: [
            { name: 'a', dataVolume: { name: 'root' } },
            { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
            { name: 'c', dataVolume: { name: 'restored' } },
            { name: 'd', containerDisk: { image: 'x' } },
          ],
        },
      },
    },
    status: { ready: false },
  }
  const volumes = [
    { name: 'root', claim: claimOf('root'), isDisk: true },
    { name: 'data', claim: claimOf('copy-of-data'), isDisk: true },
    { name: 'restored', claim: claimOf('restored'), isDisk: true },
    { name: 'persistent-state-for-web', claim: claimOf('persistent-state-for-web'), isDisk: false },
  ]
  const base = { side: 'external', hostAndBase: 'x.test/base', certificates: 'CA\n' } as const
  const [certificates, made, ...dataVolumes] = manifestObjects({ exportName: 'e', vm, volumes, base }) as [
    ConfigMap,
    VirtualMachine,
    ...DataVolume[],
  ]
  const sourceOf = (claim: string): DataVolumeSpec['source'] => ({
    http: {
      url: `https://x.test/base/volumes/${claim}/disk.img.gz`,
      certConfigMap: 'export-ca-cm-e',
      secretExtraHeaders: ['header-secret-e'],
    },
  })

  test('lets DataVolumes of templates import the disk of their own name', () => {
    const [extra, root, restored] = made.spec.dataVolumeTemplates ?? []
    assert.deepEqual(extra?.spec, { source: { blank: {} }, pvc: claimSpec })
    assert.deepEqual(root?.spec, { storage: claimSpec, source: sourceOf('root') })
    assert.deepEqual(restored?.spec, { pvc: claimSpec, source: sourceOf('restored') })
  })
  test('makes DataVolumes for claims without a template, and none for state', () => {
    assert.deepEqual(dataVolumes, [
      {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataVolume',
        metadata: { name: 'data', namespace: 'n' },
        spec: { source: sourceOf('data'), storage: { ...claimSpec, volumeMode: 'Filesystem' } },
      },
    ])
  })
  test('keeps what the user wrote, and nothing of this cluster', () => {
    const { metadata, spec, ...rest } = made
    assert.deepEqual(rest, { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' })
    assert.deepEqual(metadata, { name: 'web', namespace: 'n', labels: { app: 'web' }, annotations: { note: 'x' } })
    assert.deepEqual(spec.template, vm.spec.template)
    assert.deepEqual(certificates.data, { 'ca.pem': 'CA' })
  })
})
