import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { chooseClone, type CloneQuestion } from './choose-clone.ts'

const driver = 'rbd.csi.ceph.com'
const claim: CloneQuestion['source'] = { kind: 'pvc', driver, volumeMode: 'Block', bytes: 10n }
const snapshot: CloneQuestion['source'] = { ...claim, kind: 'snapshot' }
const target: CloneQuestion['target'] = { driver, volumeMode: 'Block', bytes: 10n, isExpandable: false, needsConsumer: false }
const question: CloneQuestion = { source: claim, target, strategy: 'csi-clone', hasSnapshotClass: true, isSameNamespace: true }
const ofSnapshot: CloneQuestion = { ...question, source: snapshot, strategy: 'copy' }

suite('chooseClone()', () => {
  const rows: readonly (readonly [string, CloneQuestion, string])[] = [
    ['the driver clones where the profile says so', question, 'driver csi-clone 10'],
    ['and restores snapshots, whatever the profile says', ofSnapshot, 'driver snapshot 10'],
    ['the profile wants a copy', { ...question, strategy: 'copy' }, 'worker'],
    [
      'nothing is said, and there are no snapshots',
      { ...question, strategy: undefined, hasSnapshotClass: false },
      'worker NoVolumeSnapshotClass',
    ],
    ['nothing is said', { ...question, strategy: undefined }, 'worker SnapshotCloneNotServed'],
    ['another driver', { ...question, target: { ...target, driver: 'nfs.csi.k8s.io' } }, 'worker IncompatibleProvisioners'],
    ['an unknown driver', { ...question, source: { ...claim, driver: undefined } }, 'worker IncompatibleProvisioners'],
    ['a snapshot of another driver', { ...ofSnapshot, target: { ...target, driver: 'other' } }, 'worker NoProvisionerMatch'],
    ['another volume mode', { ...question, target: { ...target, volumeMode: 'Filesystem' } }, 'worker IncompatibleVolumeModes'],
    ['a snapshot without a mode', { ...ofSnapshot, source: { ...snapshot, volumeMode: undefined } }, 'driver snapshot 10'],
    ['a larger volume', { ...question, target: { ...target, bytes: 11n } }, 'worker NoVolumeExpansion'],
    ['a larger volume that can grow', { ...question, target: { ...target, bytes: 11n, isExpandable: true } }, 'driver csi-clone 10'],
    ['another namespace', { ...question, isSameNamespace: false }, 'worker CrossNamespaceClone'],
    ['no pod to bind it for', { ...question, target: { ...target, needsConsumer: true } }, 'worker NoFirstConsumer'],
  ]
  for (const [what, asked, expected] of rows)
    test(what, () => {
      const choice = chooseClone(asked)
      const rest = choice.by === 'driver' ? `${choice.type} ${choice.bytes}` : (choice.reason?.reason ?? '')
      assert.equal(`${choice.by} ${rest}`.trim(), expected)
    })
})
