import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { names } from '../names.ts'
import { decidePopulation, type PopulationObservation } from './decide-population.ts'
import { populationOf } from './population.ts'
import { primeOf } from './prime.ts'

const uid = 'u1'

function target(more: Partial<PersistentVolumeClaim['metadata']> = {}, volumeName?: string, phase?: string): PersistentVolumeClaim {
  return {
    metadata: { name: 'disk', namespace: 'ns', uid, ...more },
    spec: { storageClassName: 'csi', ...(volumeName === undefined ? {} : { volumeName }) },
    status: { phase: phase ?? (volumeName === undefined ? 'Pending' : 'Bound') },
  }
}

const open = target()
const made = primeOf(open)

function prime(annotations: Record<string, string> = {}, more: Partial<PersistentVolumeClaim['metadata']> = {}): PersistentVolumeClaim {
  const metadata = { ...made.metadata, annotations: { ...made.metadata.annotations, ...annotations }, ...more }
  return { ...made, metadata, status: { phase: 'Bound' } }
}

const full = { [names.podPhase]: 'Succeeded' }
const pod = { metadata: { name: 'importer' }, spec: { containers: [] } }
const deletionTimestamp = '2026-01-01T00:00:00Z'

suite('decidePopulation()', () => {
  const rows: readonly (readonly [string, Partial<PopulationObservation>, string])[] = [
    ['a claim gets one in its place', {}, 'createPrime'],
    ['not before its source is there', { obstacle: { reason: 'NotFound', message: 'none' } }, 'await'],
    ['not before its first pod', { isWanted: false }, 'awaitConsumer'],
    ['not when it is being deleted', { target: target({ deletionTimestamp }) }, 'none'],
    ['the one in its place is filled', { prime: prime() }, 'fill startWorker'],
    [
      'when it binds to its first pod, the worker is that',
      { prime: { ...prime(), status: { phase: 'Pending' } }, bindsLate: true },
      'fill startWorker',
    ],
    ['that of another owner is left alone', { prime: prime({}, { ownerReferences: [] }) }, 'await'],
    ['one that is being deleted is awaited', { prime: prime({}, { deletionTimestamp }) }, 'none'],
    ['its volume is taken when it is full', { prime: prime(full) }, 'rebind'],
    ['not while its worker has it', { prime: prime(full), pod }, 'fill filled'],
    ['unless that is kept', { prime: prime(full), pod, target: target({ annotations: { [names.retainPod]: 'true' } }) }, 'rebind'],
    ['also when its own volume is gone from it', { prime: { ...prime(full), status: { phase: 'Lost' } } }, 'rebind'],
    ['it is removed when the claim has the volume', { prime: prime(full), target: target({}, 'pvc-prime') }, 'removePrime'],
    ['a claim with a volume of an administrator is left alone', { target: target({}, 'archive-7') }, 'leave'],
    ['without a word when it is full', { target: target({ annotations: full }, 'archive-7') }, 'none'],
    ['a volume that a provisioner has made for the claim is filled', { target: target({}, `pvc-${uid}`) }, 'fill startWorker'],
    ['until it is full', { target: target({ annotations: full }, `pvc-${uid}`) }, 'fill filled'],
    ['a claim whose volume is gone is left alone', { target: target({}, 'pvc-prime', 'Lost') }, 'none'],
  ]
  for (const [what, given, expected] of rows)
    test(what, () => {
      const observed = { target: open, prime: undefined, pod: undefined, bindsLate: false, isWanted: true, obstacle: undefined }
      const step = decidePopulation({ ...observed, isComplete: true, progress: undefined, ...given })
      assert.equal(step.kind === 'fill' ? `fill ${step.step.kind}` : step.kind, expected)
    })
})

suite('populationOf()', () => {
  const local = { metadata: { name: 'local' }, provisioner: 'steadyvm.io/local' }
  const csi = { metadata: { name: 'csi' }, provisioner: 'rbd.csi.ceph.com' }
  const claim = { kind: 'PersistentVolumeClaim', name: 'a' }
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'a' }
  const upload = { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeUploadSource', name: 'a' }
  const rows: readonly (readonly [string, PersistentVolumeClaim['spec'], typeof local, string | undefined])[] = [
    ['a kind of CDI', { dataSourceRef: upload }, csi, 'VolumeUploadSource'],
    ['a claim, in machine mode', { dataSource: claim }, local, 'PersistentVolumeClaim'],
    ['a claim, which a driver clones', { dataSource: claim }, csi, undefined],
    ['a snapshot, which a driver restores', { dataSource: snapshot }, csi, undefined],
    ['a kind of another group', { dataSourceRef: { ...upload, apiGroup: 'example.com' } }, csi, undefined],
    ['another kind of CDI', { dataSourceRef: { ...upload, kind: 'DataSource' } }, csi, undefined],
    ['nothing', {}, csi, undefined],
  ]
  for (const [what, spec, storageClass, kind] of rows)
    test(what, () => assert.equal(populationOf({ metadata: {}, ...(spec === undefined ? {} : { spec }) }, storageClass)?.kind, kind))
})
