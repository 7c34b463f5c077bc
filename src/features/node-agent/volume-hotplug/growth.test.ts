import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { claimDisks } from './growth.ts'

test('claimDisks() lists the disks that can grow with their claims, and the size of each claim', () => {
  const info = (volumeMode: string): object => ({
    persistentVolumeClaimInfo: {
      claimName: 'c',
      volumeMode,
      capacity: { storage: '100Mi' },
      ...(volumeMode === 'Block' ? {} : { filesystemOverhead: '0.055' }),
    },
  })
  const status = (name: string, volumeMode = 'Filesystem', size?: number): object => ({
    name,
    target: '',
    ...info(volumeMode),
    ...(size === undefined ? {} : { size }),
  })
  const vmi = {
    metadata: {},
    spec: {
      domain: {
        devices: {
          disks: [
            { name: 'hot', disk: { bus: 'scsi' } },
            { name: 'read', disk: { bus: 'scsi', readonly: true } },
            { name: 'cd', cdrom: {} },
            { name: 'waits', disk: { bus: 'scsi' } },
          ],
        },
      },
    },
    status: {
      volumeStatus: [
        status('root', 'Block', 1024),
        status('iso'),
        status('hot'),
        status('read'),
        status('cd'),
        status('waits'),
        { name: 'scratch', target: '' },
      ],
    },
  } as unknown
  const launched = [
    { name: 'root', readOnly: false },
    { name: 'iso', readOnly: true },
    { name: 'scratch', readOnly: false },
  ]
  assert.deepEqual(claimDisks(vmi as VirtualMachineInstance, launched, new Set(['hot', 'read', 'cd'])), [
    { name: 'root', isPlugged: false, claimBytes: 100 << 20, knownBytes: 1024 },
    { name: 'hot', isPlugged: true, claimBytes: 94 << 20, knownBytes: undefined },
  ])
})
