import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CDI } from '#api/cdi/v1beta1/cdi.ts'
import type { StorageProfile, StorageProfileStatus } from '#api/cdi/v1beta1/storage-profile.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { defineStorageMetrics, profileInfoOf } from './metrics.ts'

const many = { accessModes: ['ReadWriteMany'], volumeMode: 'Block' } as const
const once = { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' } as const

function classOf(annotations: Readonly<Record<string, string>> = {}): StorageClass {
  return { metadata: { name: 'fast', annotations }, provisioner: 'p' }
}

function profileOf(status: StorageProfileStatus = {}): StorageProfile {
  return { metadata: { name: 'fast' }, spec: {}, status: { storageClass: 'fast', provisioner: 'p', ...status } }
}

suite('profileInfoOf()', () => {
  const rows: readonly (readonly [string, StorageProfileStatus, Readonly<Record<string, string>>, readonly string[]])[] = [
    ['an unknown provisioner', {}, {}, ['degraded']],
    [
      'one without shared volumes',
      { claimPropertySets: [{ ...once, accessModes: ['ReadWriteOnce'] }], cloneStrategy: 'csi-clone' },
      { 'storageclass.kubernetes.io/is-default-class': 'true' },
      ['complete', 'default', 'smartclone', 'degraded'],
    ],
    [
      'one with all',
      { claimPropertySets: [{ ...many, accessModes: ['ReadWriteMany'] }], cloneStrategy: 'snapshot' },
      { 'storageclass.kubevirt.io/is-default-virt-class': 'true' },
      ['complete', 'virtdefault', 'rwx', 'smartclone'],
    ],
    [
      'one that copies',
      { claimPropertySets: [{ ...many, accessModes: ['ReadWriteMany'] }], cloneStrategy: 'copy' },
      {},
      ['complete', 'rwx', 'degraded'],
    ],
    [
      'the disks of one machine',
      { provisioner: 'steadyvm.io/local', claimPropertySets: [{ ...many, accessModes: ['ReadWriteMany'] }], cloneStrategy: 'copy' },
      {},
      ['complete', 'rwx'],
    ],
  ]
  for (const [what, status, annotations, wanted] of rows) {
    test(`tells of ${what}`, () => {
      const { storageclass, provisioner, ...flags } = profileInfoOf(profileOf(status), classOf(annotations))
      assert.deepEqual([storageclass, provisioner], ['fast', status.provisioner ?? 'p'])
      assert.deepEqual(
        Object.entries(flags).flatMap(([name, value]) => (value === 'true' ? [name] : [])),
        wanted,
      )
    })
  }
})

suite('kubevirt_cdi_cr_ready', () => {
  const cdi = (conditions: readonly { type: string; status: 'True' | 'False' }[]): CDI =>
    ({ metadata: { name: 'cdi' }, spec: {}, status: { conditions } }) as unknown as CDI
  const rows: readonly (readonly [string, readonly CDI[], number])[] = [
    ['-1 without a CDI object', [], -1],
    ['1 when it is available', [cdi([{ type: 'Available', status: 'True' }])], 1],
    ['1 while it is installed', [cdi([{ type: 'Progressing', status: 'True' }])], 1],
    ['0 otherwise', [cdi([{ type: 'Available', status: 'False' }])], 0],
  ]
  for (const [what, installations, value] of rows) {
    test(`is ${what}`, async () => {
      const metrics = createMetrics()
      defineStorageMetrics(metrics, {
        profiles: { list: () => [] },
        classes: { get: () => undefined },
        installations: { list: () => installations },
      })
      assert.match(await metrics.metrics(), new RegExp(`^kubevirt_cdi_cr_ready ${value}$`, 'm'))
    })
  }
})
