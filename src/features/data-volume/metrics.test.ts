import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { defineDataVolumeMetrics } from './metrics.ts'

test('DataVolumes that wait for a default class are counted, and running ones show their progress', async () => {
  const one = (name: string, phase: string, progress: string, storageClassName?: string): DataVolume => ({
    metadata: { name, namespace: 'n' },
    spec: { storage: storageClassName === undefined ? {} : { storageClassName } },
    status: { phase, progress },
  })
  const metrics = createMetrics()
  defineDataVolumeMetrics(metrics, {
    dataVolumes: {
      list: () => [
        one('new', '', 'N/A'),
        one('waits', 'Pending', 'N/A'),
        one('named', 'Pending', 'N/A', 'fast'),
        one('imports', 'ImportInProgress', '12.50%'),
        one('starts', 'ImportInProgress', 'N/A'),
        one('copies', 'CloneInProgress', '99.00%'),
        one('complete', 'Succeeded', '100.0%'),
      ],
    },
    claims: { get: (namespace, name) => ({ metadata: { namespace, name, uid: `uid-${name}` } }) },
  })
  const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('kubevirt_'))
  assert.deepEqual(lines, [
    'kubevirt_cdi_datavolume_pending 2',
    'kubevirt_cdi_import_progress_total{ownerUID="uid-imports"} 12.5',
    'kubevirt_cdi_clone_progress_total{ownerUID="uid-copies"} 99',
  ])
})
