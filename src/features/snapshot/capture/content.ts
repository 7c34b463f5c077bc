import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachineSnapshotContent, VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type {
  SnapshotIndication,
  SourceIndication,
  VirtualMachineSnapshot,
  VirtualMachineSnapshotStatus,
} from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { withRevisionNames, type Family } from '#features/instancetype/index.ts'
import { volumesWithData } from '../volumes/volume-backups.ts'
import {
  contentFinalizer,
  contentName,
  contentType,
  guestAnnotation,
  indicationsAnnotation,
  lastRestoreAnnotation,
  snapshotType,
} from '../names.ts'

/** State to store: the VM, the snapshot's copies of its revisions, and indications. */
export interface Taken {
  readonly vm: VirtualMachine
  readonly revisions: Partial<Record<Family, string>>
  readonly indications: readonly SnapshotIndication[]
  readonly volumes: readonly VolumeBackup[]
  /** The guest that runs. */
  readonly guest: VirtualMachineInstance | undefined
}

/**
 * Returns the content of a snapshot. Its matchers name the snapshot's copies, which exist as long
 * as the snapshot, independent of the VM. The snapshot owns it: content that a slow controller
 * creates for a deleted snapshot is garbage collected.
 */
export function contentOf(
  snapshot: VirtualMachineSnapshot,
  { vm, revisions, indications, volumes, guest }: Taken,
): VirtualMachineSnapshotContent {
  const { name = '', namespace = '', uid = '' } = snapshot.metadata
  const annotations = {
    ...(indications.length === 0 ? {} : { [indicationsAnnotation]: indications.join(',') }),
    ...(guest === undefined || volumes.length === 0 ? {} : { [guestAnnotation]: guest.metadata.uid ?? '' }),
  }
  return {
    ...contentType,
    metadata: {
      name: contentName(uid),
      namespace,
      finalizers: [contentFinalizer],
      ownerReferences: [{ ...snapshotType, name, uid }],
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      virtualMachineSnapshotName: name,
      source: { virtualMachine: { metadata: keptMetadata(vm.metadata), spec: withRevisionNames(vm.spec, revisions) } },
      ...(volumes.length === 0 ? {} : { volumeBackups: [...volumes] }),
    },
  }
}

/**
 * Returns content that was taken in another cluster as that of an imported snapshot, which then
 * describes it instead of taking a new one.
 */
export function snapshotContentFor(snapshot: VirtualMachineSnapshot, taken: VirtualMachineSnapshotContent): VirtualMachineSnapshotContent {
  const { name = '', namespace = '', uid = '' } = snapshot.metadata
  const { labels, annotations } = taken.metadata
  const isToStay = snapshot.spec.deletionPolicy === 'Retain'
  return {
    ...contentType,
    metadata: {
      name: contentName(uid),
      namespace,
      finalizers: [contentFinalizer],
      ...(isToStay ? {} : { ownerReferences: [{ ...snapshotType, name, uid }] }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: taken.spec,
  }
}

/** Metadata without server-managed fields and annotations of controllers. */
function keptMetadata({ name, namespace, uid, generation, creationTimestamp, labels, annotations = {} }: ObjectMeta): ObjectMeta {
  const { [lastRestoreAnnotation]: _restored, 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...kept } = annotations
  const metadata = { name, namespace, uid, generation, creationTimestamp, labels, annotations: kept }
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)) as ObjectMeta
}

/** Returns the status of a snapshot that describes its content. */
export function describeContent(
  content: VirtualMachineSnapshotContent,
): Pick<
  VirtualMachineSnapshotStatus,
  'sourceUID' | 'virtualMachineSnapshotContentName' | 'creationTime' | 'indications' | 'sourceIndications' | 'snapshotVolumes'
> {
  const vm = content.spec.source.virtualMachine
  const included = (content.spec.volumeBackups ?? []).map(({ volumeName }) => volumeName)
  const excluded = volumesWithData(vm?.spec?.template.spec.volumes)
    .map((volume) => volume.name)
    .filter((name) => !included.includes(name))
  const noted = (content.metadata.annotations?.[indicationsAnnotation] ?? '').split(',').filter((word) => word in messages)
  const indications = [...noted, ...(excluded.length === 0 ? [] : ['PartialSnapshot'])] as SnapshotIndication[]
  return {
    ...(vm?.metadata?.uid === undefined ? {} : { sourceUID: vm.metadata.uid }),
    virtualMachineSnapshotContentName: content.metadata.name ?? '',
    creationTime: content.status?.creationTime ?? content.metadata.creationTimestamp ?? null,
    ...(indications.length === 0 ? {} : { indications, sourceIndications: indications.map(explain) }),
    ...(included.length + excluded.length === 0
      ? {}
      : {
          snapshotVolumes: {
            ...(included.length === 0 ? {} : { includedVolumes: included }),
            ...(excluded.length === 0 ? {} : { excludedVolumes: excluded }),
          },
        }),
  }
}

const messages: Readonly<Record<SnapshotIndication, string>> = {
  Online: 'The guest was running when the snapshot was taken',
  NoGuestAgent: 'The guest agent took no part: what the guest had not written yet is not in the snapshot',
  GuestAgent: 'The guest agent held back the writes of the guest',
  QuiesceTimeout: 'The writes of the guest could not be held back in time',
  Paused: 'The guest was paused when the snapshot was taken',
  PartialSnapshot: 'Some volumes are not in the snapshot: see snapshotVolumes.excludedVolumes',
}

function explain(indication: SnapshotIndication): SourceIndication {
  return { indication, message: messages[indication] }
}
