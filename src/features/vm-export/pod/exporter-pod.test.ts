import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { taskVariable, type ExportTask } from '../export-task.ts'
import { podNameOf, serviceLabelOf, serviceNameOf } from '../names.ts'
import { exporterPodOf, objectsOf, type ExporterPodOptions } from './exporter-pod.ts'
import { exporterServiceOf } from './exporter-service.ts'

const vmExport: VirtualMachineExport = {
  metadata: { namespace: 'n', name: 'web', uid: 'u', labels: { team: 'a', 'kubevirt.io': 'mine' }, annotations: { note: 'x' } },
  spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
}
const claimOf = (name: string, volumeMode: string): PersistentVolumeClaim => ({ metadata: { namespace: 'n', name }, spec: { volumeMode } })
const options: ExporterPodOptions = {
  // Two that would be the same as labels of DNS.
  volumes: [
    { name: 'a.b', claim: claimOf('a.b', 'Filesystem'), isDisk: true },
    { name: 'of-vm', claim: claimOf('a-b', 'Block'), isDisk: true },
  ],
  hasManifests: true,
  image: 'x',
  inContainer: true,
  deadline: '2026-01-01T00:00:00Z',
  certificateParameters: '{}',
  externalAddress: 'x.test/e',
  tls: {},
  suffix: 's',
}

suite('exporterPodOf()', () => {
  const pod = exporterPodOf(vmExport, options)
  const [container] = pod.spec.containers

  test('reads the claims, and has no rights', () => {
    assert.deepEqual(
      container?.volumeMounts?.map(({ mountPath, readOnly }) => [mountPath, readOnly]),
      ['/cert', '/token', '/manifest_data', '/export-volumes/claim-0'].map((path) => [path, true]),
    )
    assert.deepEqual(container?.volumeDevices, [{ name: 'claim-1', devicePath: '/dev/export-volumes/claim-1' }])
    const { automountServiceAccountToken, securityContext } = pod.spec
    assert.deepEqual([automountServiceAccountToken, securityContext?.runAsNonRoot, securityContext?.fsGroup], [false, true, 107])
    assert.deepEqual(container?.securityContext?.capabilities, { drop: ['ALL'] })
  })

  test('tells the server where each claim is, and no secret', () => {
    const task = JSON.parse(container?.env?.find(({ name }) => name === taskVariable)?.value ?? '') as ExportTask
    assert.deepEqual(
      task.volumes.map(({ claim, path }) => [claim, path]),
      [
        ['a.b', '/export-volumes/claim-0'],
        ['of-vm', '/dev/export-volumes/claim-1'],
      ],
    )
    assert.deepEqual(objectsOf(pod), { secret: 'virt-export-cert-s', configMap: 'virt-export-manifest-s' })
  })

  test('is found by its Service, whatever labels the export has', () => {
    assert.deepEqual(exporterServiceOf(vmExport).spec?.selector, { 'kubevirt.io.virt-export-service': 'web' })
    assert.deepEqual(pod.metadata.labels, { team: 'a', 'kubevirt.io': 'virt-exporter', 'kubevirt.io.virt-export-service': 'web' })
  })

  test('listens on all addresses of a container, and on its own one of a machine', () => {
    const ofMachine = exporterPodOf(vmExport, { ...options, inContainer: false })
    assert.deepEqual([container?.args, ofMachine.spec.containers[0]?.args], [['--port=8443'], ['--address=$(POD_IP)', '--port=8443']])
    assert.deepEqual(ofMachine.metadata.annotations, {
      note: 'x',
      'kubevirt.io/export.certParameters': '{}',
      'steadyvm.io/external-address': 'x.test/e',
      'steadyvm.io/own-address': 'true',
    })
  })
})

test('names of an export are labels of DNS, and differ for long names', () => {
  const long = (end: string): VirtualMachineExport => ({ ...vmExport, metadata: { name: `${'x.'.repeat(60)}${end}` } })
  for (const nameOf of [podNameOf, serviceNameOf, serviceLabelOf]) {
    const [one, other] = [nameOf(long('a')), nameOf(long('b'))]
    assert.ok(one.length <= 63 && one !== other, one)
  }
  assert.match(serviceNameOf(long('a')), /^[a-z]([-a-z0-9]*[a-z0-9])?$/)
})
