import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { revisionsByOwner } from '#features/instancetype/index.ts'
import type { VirtualMachineSnapshotContent, VolumeBackup } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { found } from '#client/found.ts'
import { attachmentPodName, podsByVmi } from '#features/vmi/index.ts'
import type { Observed } from './decide.ts'
import { contentName, guestAnnotation } from '../names.ts'
import { podsBySnapshot, restoresBySnapshot, vmisBySnapshot, type Ports } from '../ports.ts'
import { copyVolume } from '../volumes/backup-objects.ts'
import type { BackupLook, ObservedVolumes } from '../volumes/decide-volumes.ts'
import { isRestoreActive } from '../restore/active-restore.ts'

/**
 * Reads the state of a snapshot from the caches, and VolumeSnapshots from the API: clusters may
 * have none. Undefined when the snapshot does not exist.
 */
export async function observe(ports: Ports, { namespace, name }: Request): Promise<Observed | undefined> {
  const snapshot = ports.snapshots.get(namespace, name)
  if (snapshot === undefined) return undefined
  const uid = snapshot.metadata.uid ?? ''
  const content = ports.contents.get(namespace, contentName(uid))
  return {
    snapshot,
    vm: ports.vms.get(namespace, snapshot.spec.source.name),
    content,
    volumes: content === undefined ? undefined : await observeVolumes(ports, snapshot, content),
    copying: ports.vmis.byIndex(vmisBySnapshot, `${namespace}/${name}`).find(({ status }) => status?.steadyvm?.diskCopy?.id === uid),
    attached: ports.attachments.byIndex(podsBySnapshot, `${namespace}/${name}`).filter((pod) => !isBeingDeleted(pod)),
    restores: ports.restores
      .byIndex(restoresBySnapshot, `${namespace}/${name}`)
      .filter(isRestoreActive)
      .map(({ metadata }) => metadata.name ?? ''),
    revisions: ports.revisions.byIndex(revisionsByOwner, uid).length,
  }
}

async function observeVolumes(
  ports: Ports,
  snapshot: VirtualMachineSnapshot,
  content: VirtualMachineSnapshotContent,
): Promise<ObservedVolumes | undefined> {
  const { volumeBackups = [] } = content.spec
  if (volumeBackups.length === 0 || content.status?.readyToUse === true) return undefined
  const { namespace = '', name = '', uid = '' } = snapshot.metadata
  const vmi = ports.vmis.get(namespace, snapshot.spec.source.name)
  const launcher = ports.launchers
    .byIndex(podsByVmi, vmi?.metadata.uid ?? '')
    .find(({ spec }) => spec.nodeName !== undefined && spec.nodeName === vmi?.status?.nodeName)
  const lookAt = async (backup: VolumeBackup): Promise<BackupLook> => {
    const copy = backup.steadyvm?.copyClaimName ?? ''
    const podName = launcher === undefined ? '' : attachmentPodName(launcher, copyVolume(backup))
    const { volumeSnapshotName } = backup
    return {
      backup,
      claim: ports.claims.get(namespace, copy),
      dataVolume: ports.dataVolumes.get(namespace, copy),
      pod: ports.attachments.get(namespace, podName),
      volumeSnapshot:
        volumeSnapshotName === undefined
          ? undefined
          : await found(ports.client.get(volumeSnapshots, { namespace, name: volumeSnapshotName })),
    }
  }
  return {
    id: uid,
    snapshotName: name,
    guestUid: content.metadata.annotations?.[guestAnnotation],
    vmi,
    launcher,
    looks: await Promise.all(volumeBackups.map(lookAt)),
  }
}
