import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims, pods } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent, VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { addressOf, keyOf, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged, patchStatus } from '#client/patch-status.ts'
import { isSamePod } from '#features/vmi/index.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { indicationsAnnotation } from '../names.ts'
import type { Ports } from '../ports.ts'
import { copyClaimOf, copyDataVolumeOf, copyPodOf, volumeSnapshotOf } from './backup-objects.ts'
import type { VolumesTaken, VolumeStep } from './decide-volumes.ts'
import { readSnapshotClasses, snapshotClassOf } from './snapshot-classes.ts'

/** An object of the backup's name belongs to others. */
export class BackupObjectExists extends Error {
  override readonly name = 'BackupObjectExists'

  constructor(kind: string, name: string) {
    super(`${kind} ${name} exists already and does not belong to the snapshot: delete it`)
  }
}

/** Takes a step for the volumes of a snapshot. @throws BackupObjectExists, StatusError */
export async function actOnVolumes(
  ports: Ports,
  { snapshot, content }: { readonly snapshot: VirtualMachineSnapshot; readonly content: VirtualMachineSnapshotContent },
  step: VolumeStep,
): Promise<void> {
  const { client, launcherImage: image, inContainer } = ports
  switch (step.kind) {
    case 'wait':
    case 'fail':
      return
    case 'createDataVolumes':
      for (const backup of step.backups) await createOwn(ports, dataVolumes, copyDataVolumeOf(content, backup), content)
      return
    case 'createVolumeSnapshots':
      return createVolumeSnapshots(ports, { snapshot, content }, step.backups)
    case 'createTargets': {
      const { vmi, launcher } = step
      const place = { snapshotName: snapshot.metadata.name ?? '', vmi, launcher, image, inContainer }
      for (const backup of step.claims) await createOwn(ports, persistentVolumeClaims, copyClaimOf(content, backup), content)
      for (const backup of step.pods) await createPod(ports, copyPodOf(backup, place))
      return
    }
    case 'request':
      await found(patchStatus(client, virtualMachineInstances, step.vmi, { steadyvm: { diskCopy: step.request } }))
      return
    case 'thaw':
      // What the agent did is known only while it is asked.
      await noteTaken(ports, content, step.taken)
      return withdraw(ports, step.vmi)
    case 'complete':
      return complete(ports, content, step.taken)
  }
}

/** Ends what the node agent does for a snapshot. */
export async function withdraw({ client }: Pick<Ports, 'client'>, vmi: VirtualMachineInstance): Promise<void> {
  await found(patchStatus(client, virtualMachineInstances, vmi, { steadyvm: { diskCopy: null } }))
}

/** Detaches the targets of copies from their nodes. */
export async function detach({ client }: Pick<Ports, 'client'>, attached: readonly Pod[]): Promise<void> {
  for (const { metadata } of attached) {
    const { name = '', namespace = '', uid } = metadata
    await found(client.delete(pods, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } }))
  }
}

async function createOwn<T extends KubeObject>(
  { client }: Ports,
  resource: ResourceType<T>,
  object: T,
  content: VirtualMachineSnapshotContent,
): Promise<void> {
  try {
    await client.create(resource, object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    // Created in an earlier pass: the cache lags behind, or the process was killed.
    const existing = await found(client.get(resource, addressOf(object)))
    if (existing !== undefined && !isOwnedBy(existing, content)) throw new BackupObjectExists(resource.kind, object.metadata?.name ?? '')
  }
}

async function createPod({ client }: Ports, pod: Pod): Promise<void> {
  try {
    await client.create<Pod>(pods, pod)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const existing = await found(client.get(pods, keyOf(pod)))
    if (existing !== undefined && !isSamePod(existing, pod)) throw new BackupObjectExists('Pod', pod.metadata.name ?? '')
  }
}

async function createVolumeSnapshots(
  ports: Ports,
  { snapshot, content }: { readonly snapshot: VirtualMachineSnapshot; readonly content: VirtualMachineSnapshotContent },
  backups: readonly VolumeBackup[],
): Promise<void> {
  const classes = await readSnapshotClasses(ports.client)
  for (const backup of backups) {
    const className = snapshotClassOf(backup.persistentVolumeClaim, (name) => ports.classes.get('', name), classes) ?? ''
    await createOwn(ports, volumeSnapshots, volumeSnapshotOf(content, backup, className), content)
    ports.recorder.event(
      snapshot,
      'Normal',
      'SuccessfulVolumeSnapshotCreate',
      `Successfully created VolumeSnapshot ${backup.volumeSnapshotName ?? ''}`,
    )
  }
}

async function complete(ports: Ports, content: VirtualMachineSnapshotContent, taken: VolumesTaken): Promise<void> {
  const noted = await noteTaken(ports, content, taken)
  if (noted === undefined) return
  const { creationTime = content.metadata.creationTimestamp ?? timestamp(ports.clock.now()), volumeSnapshotStatus } = taken
  await found(
    patchStatus(ports.client, virtualMachineSnapshotContents, noted, {
      readyToUse: true,
      creationTime,
      ...(volumeSnapshotStatus === undefined ? {} : { volumeSnapshotStatus }),
    }),
  )
}

/** Adds to the content what the guest agent did. */
async function noteTaken(
  { client }: Ports,
  content: VirtualMachineSnapshotContent,
  { quiesce }: VolumesTaken,
): Promise<VirtualMachineSnapshotContent | undefined> {
  const noted = (content.metadata.annotations?.[indicationsAnnotation] ?? '').split(',').filter((word) => word !== '')
  if (quiesce === undefined || noted.includes(quiesce)) return content
  const annotations = { [indicationsAnnotation]: [...noted, quiesce].join(',') }
  return found(patchIfUnchanged(client, virtualMachineSnapshotContents, content, { metadata: { annotations } }))
}
