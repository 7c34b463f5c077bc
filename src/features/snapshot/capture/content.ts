import type { VirtualMachine, VirtualMachineSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type {
  SnapshotIndication,
  SourceIndication,
  VirtualMachineSnapshot,
  VirtualMachineSnapshotStatus,
} from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { withRevisionNames, type Family } from '#features/instancetype/index.ts'
import { contentFinalizer, contentName, contentType, indicationsAnnotation, lastRestoreAnnotation, snapshotType } from '../names.ts'

/**
 * What is taken of a VM: the VM as it is or runs, the snapshot's copies of what sizes it, and what
 * is to be known of the moment.
 */
export interface Taken {
  readonly vm: VirtualMachine
  readonly revisions: Partial<Record<Family, string>>
  readonly indications: readonly SnapshotIndication[]
}

/**
 * The content of a snapshot. Its matchers name the snapshot's copies, which live as long as the
 * snapshot whatever becomes of the VM. It belongs to the snapshot: what a slow controller makes for
 * one that has gone meanwhile is collected as garbage.
 */
export function contentOf(snapshot: VirtualMachineSnapshot, { vm, revisions, indications }: Taken): VirtualMachineSnapshotContent {
  const { name = '', namespace = '', uid = '' } = snapshot.metadata
  return {
    ...contentType,
    metadata: {
      name: contentName(uid),
      namespace,
      finalizers: [contentFinalizer],
      ownerReferences: [{ ...snapshotType, name, uid }],
      ...(indications.length === 0 ? {} : { annotations: { [indicationsAnnotation]: indications.join(',') } }),
    },
    spec: {
      virtualMachineSnapshotName: name,
      source: { virtualMachine: { metadata: keptMetadata(vm.metadata), spec: withRevisionNames(vm.spec, revisions) } },
    },
  }
}

/** Without what the server says of one object, and what controllers note on one. */
function keptMetadata({ name, namespace, uid, generation, creationTimestamp, labels, annotations = {} }: ObjectMeta): ObjectMeta {
  const { [lastRestoreAnnotation]: _restored, 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...kept } = annotations
  const metadata = { name, namespace, uid, generation, creationTimestamp, labels, annotations: kept }
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)) as ObjectMeta
}

/** What a snapshot tells of its content. */
export function describeContent(
  content: VirtualMachineSnapshotContent,
): Pick<
  VirtualMachineSnapshotStatus,
  'sourceUID' | 'virtualMachineSnapshotContentName' | 'creationTime' | 'indications' | 'sourceIndications' | 'snapshotVolumes'
> {
  const vm = content.spec.source.virtualMachine
  const included = (content.spec.volumeBackups ?? []).map(({ volumeName }) => volumeName)
  const excluded = volumesWithData(vm?.spec).filter((name) => !included.includes(name))
  const noted = (content.metadata.annotations?.[indicationsAnnotation] ?? '').split(',').filter((word) => word in messages)
  const indications = [...noted, ...(excluded.length === 0 ? [] : ['PartialSnapshot'])] as SnapshotIndication[]
  return {
    ...(vm?.metadata?.uid === undefined ? {} : { sourceUID: vm.metadata.uid }),
    virtualMachineSnapshotContentName: content.metadata.name ?? '',
    creationTime: content.metadata.creationTimestamp ?? null,
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

/** Volumes whose content outlives the guest. That of images comes from the image again. */
function volumesWithData(spec: VirtualMachineSpec | undefined): string[] {
  return (spec?.template.spec.volumes ?? [])
    .filter(({ persistentVolumeClaim, dataVolume }) => persistentVolumeClaim !== undefined || dataVolume !== undefined)
    .map(({ name }) => name)
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
