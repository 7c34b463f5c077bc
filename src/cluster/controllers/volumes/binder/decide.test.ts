import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume, PersistentVolumeSpec } from '#api/core/v1/persistent-volume.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { decideClaim } from './decide-claim.ts'
import { decideVolume } from './decide-volume.ts'

const claim = (spec: Partial<PersistentVolumeClaimSpec> = {}, annotations: Record<string, string> = {}): PersistentVolumeClaim => ({
  metadata: { namespace: 'default', name: 'c', uid: 'u-c', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, ...spec },
})
const volume = (
  name: string,
  storage: string,
  spec: Partial<PersistentVolumeSpec> = {},
  more: Partial<PersistentVolume> = {},
): PersistentVolume => ({
  metadata: { name },
  status: { phase: 'Available' },
  ...more,
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce', 'ReadOnlyMany'], ...spec },
})
const ours = { claimRef: { namespace: 'default', name: 'c' } }
const completed = { 'pv.kubernetes.io/bind-completed': 'yes' }
const storageClass = (provisioner: string, volumeBindingMode = 'Immediate'): StorageClass => ({
  metadata: { name: 's' },
  provisioner,
  volumeBindingMode,
})

suite('decideClaim()', () => {
  const cases: { name: string; claim?: PersistentVolumeClaim; volumes: PersistentVolume[]; storageClass?: StorageClass; want: string }[] = [
    {
      name: 'chooses the smallest sufficient volume',
      volumes: [volume('a', '1Gi'), volume('b', '50Gi'), volume('c', '6Gi')],
      want: 'bind c',
    },
    { name: 'prefers what is kept for it', volumes: [volume('a', '5Gi'), volume('b', '50Gi', ours)], want: 'bind b' },
    {
      name: 'ignores a volume reserved for another claim',
      volumes: [volume('a', '5Gi', { claimRef: { namespace: 'default', name: 'other' } })],
      want: 'wait FailedBinding',
    },
    {
      name: 'ignores a volume reserved for an earlier claim of the name',
      volumes: [volume('a', '5Gi', { claimRef: { ...ours.claimRef, uid: 'u-old' } })],
      want: 'wait FailedBinding',
    },
    {
      name: 'wants all access modes',
      claim: claim({ accessModes: ['ReadWriteMany'] }),
      volumes: [volume('a', '5Gi')],
      want: 'wait FailedBinding',
    },
    {
      name: 'wants the form',
      claim: claim({ volumeMode: 'Block' }),
      volumes: [volume('a', '5Gi'), volume('b', '9Gi', { volumeMode: 'Block' })],
      want: 'bind b',
    },
    {
      name: 'wants the class',
      claim: claim({ storageClassName: 's' }),
      volumes: [volume('a', '5Gi'), volume('b', '9Gi', { storageClassName: 's' })],
      want: 'bind b',
    },
    {
      name: 'wants the labels',
      claim: claim({ selector: { matchLabels: { fast: 'yes' } } }),
      volumes: [volume('a', '5Gi'), volume('b', '9Gi', {}, { metadata: { name: 'b', labels: { fast: 'yes' } } })],
      want: 'bind b',
    },
    {
      name: 'ignores a bound, released or deleting volume',
      volumes: [
        volume('a', '5Gi', {}, { status: { phase: 'Released' } }),
        volume('b', '5Gi', {}, { metadata: { name: 'b', deletionTimestamp: 'now' } }),
      ],
      want: 'wait FailedBinding',
    },
    {
      name: 'requests a volume',
      claim: claim({ storageClassName: 's' }),
      volumes: [],
      storageClass: storageClass('p'),
      want: 'wait ExternalProvisioning p',
    },
    {
      name: 'waits for its first pod',
      claim: claim({ storageClassName: 's' }),
      volumes: [volume('a', '5Gi', { storageClassName: 's' })],
      storageClass: storageClass('p', 'WaitForFirstConsumer'),
      want: 'wait WaitForFirstConsumer',
    },
    { name: 'reports a missing class', claim: claim({ storageClassName: 's' }), volumes: [], want: 'wait ProvisioningFailed' },
    {
      name: 'binds the named volume',
      claim: claim({ volumeName: 'b' }),
      volumes: [volume('a', '5Gi'), volume('b', '1Gi')],
      want: 'bind b',
    },
    { name: 'waits for what it names', claim: claim({ volumeName: 'b' }), volumes: [], want: 'wait' },
    {
      name: 'does not take what it names from another',
      claim: claim({ volumeName: 'a' }),
      volumes: [volume('a', '5Gi', { claimRef: { namespace: 'x', name: 'y' } })],
      want: 'wait FailedBinding',
    },
    { name: 'continues a binding', claim: claim({ volumeName: 'a' }, completed), volumes: [volume('a', '5Gi', ours)], want: 'bind a' },
    { name: 'is Lost when its volume is deleted', claim: claim({ volumeName: 'a' }, completed), volumes: [], want: 'lose ClaimLost' },
    {
      name: 'loses a volume that another has',
      claim: claim({ volumeName: 'a' }, completed),
      volumes: [volume('a', '5Gi', { claimRef: { namespace: 'x', name: 'y' } })],
      want: 'lose ClaimMisbound',
    },
    {
      name: 'ignores a claim that is being deleted',
      claim: { ...claim(), metadata: { ...claim().metadata, deletionTimestamp: 'now' } },
      volumes: [volume('a', '5Gi')],
      want: 'wait',
    },
  ]
  for (const one of cases) {
    test(one.name, () => {
      const decision = decideClaim(one.claim ?? claim(), { volumes: one.volumes, storageClass: one.storageClass, selectedNode: undefined })
      const rest =
        decision.kind === 'bind'
          ? [decision.volume.metadata.name]
          : [decision.event?.reason, decision.kind === 'wait' ? decision.provisioner : undefined]
      assert.equal([decision.kind, ...rest].filter((word) => word !== undefined).join(' '), one.want)
    })
  }
})

suite('decideVolume()', () => {
  const bound = (spec: Partial<PersistentVolumeSpec> = {}, annotations: Record<string, string> = {}): PersistentVolume =>
    volume('v', '5Gi', { claimRef: { namespace: 'default', name: 'c', uid: 'u-c' }, ...spec }, { metadata: { name: 'v', annotations } })
  const made = { 'pv.kubernetes.io/provisioned-by': 'steadyvm.io/local' }
  const cases: { name: string; volume: PersistentVolume; claim?: PersistentVolumeClaim; want: string }[] = [
    { name: 'is free', volume: volume('v', '5Gi'), want: 'phase Available' },
    { name: 'is reserved for a claim', volume: volume('v', '5Gi', ours), want: 'phase Available' },
    { name: 'has its claim', volume: bound(), claim: claim({ volumeName: 'v' }), want: 'phase Bound' },
    { name: 'has lost its claim, and is to stay', volume: bound(), want: 'phase Released' },
    {
      name: 'has lost its claim to a namesake',
      volume: bound(),
      claim: { ...claim(), metadata: { namespace: 'default', name: 'c', uid: 'other' } },
      want: 'phase Released',
    },
    {
      name: 'has lost its claim, and its provisioner removes it',
      volume: bound({ persistentVolumeReclaimPolicy: 'Delete' }, made),
      want: 'phase Released',
    },
    {
      name: 'has lost its claim, and has no provisioner that removes it',
      volume: bound({ persistentVolumeReclaimPolicy: 'Delete' }),
      want: 'failed error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    },
    { name: 'was not taken by its claim', volume: bound(), claim: claim({ volumeName: 'other' }), want: 'unbind' },
    {
      name: 'was provisioned and is not needed',
      volume: bound({ persistentVolumeReclaimPolicy: 'Delete' }, made),
      claim: claim({ volumeName: 'other' }),
      want: 'phase Released',
    },
  ]
  for (const one of cases) {
    test(one.name, () => {
      const decision = decideVolume(one.volume, one.claim, 'steadyvm.io/local')
      const rest = decision.kind === 'phase' ? [decision.phase] : decision.kind === 'failed' ? [decision.message] : []
      assert.equal([decision.kind, ...rest].join(' '), one.want)
    })
  }
})
