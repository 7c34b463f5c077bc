import { deepEqual } from '#apimachinery/equality.ts'
import { persistentVolumeClaims, persistentVolumes } from '#api/core/v1/resources.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '#api/core/v1/persistent-volume-claim.ts'
import type { PersistentVolume } from '#api/core/v1/persistent-volume.ts'
import type { Client } from '#client/client.ts'
import { names } from './names.ts'

/**
 * Takes the missing steps of a binding: the volume's claimRef, the claim's volumeName, then both
 * status. Each step carries the resourceVersion that was read, so that a volume is never bound
 * twice.
 */
export async function bind(client: Client, claim: PersistentVolumeClaim, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const owned = await bindVolume(client, claim, volume, signal)
  await setVolumePhase(client, owned, { phase: 'Bound' }, signal)
  const bound = await bindClaim(client, claim, owned, signal)
  await setClaimStatus(client, bound, boundStatus(bound, owned), signal)
}

async function bindVolume(
  client: Client,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  const { namespace, name, uid, resourceVersion } = claim.metadata
  if (volume.spec?.claimRef?.uid === uid && uid !== undefined) return volume
  const isKept = volume.spec?.claimRef !== undefined
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
  const body = {
    metadata: {
      ...versionOf(volume),
      ...(isKept ? {} : { annotations: { [names.boundByController]: 'yes' } }),
    },
    spec: { claimRef },
  }
  return client.patch(persistentVolumes, { name: volume.metadata.name ?? '' }, { type: 'merge', body }, { signal })
}

async function bindClaim(
  client: Client,
  claim: PersistentVolumeClaim,
  { metadata }: PersistentVolume,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
  const { namespace = '', name = '', annotations = {} } = claim.metadata
  const isNamed = claim.spec?.volumeName === metadata.name
  if (isNamed && annotations[names.bindCompleted] !== undefined) return claim
  const added = { [names.bindCompleted]: 'yes', ...(isNamed ? {} : { [names.boundByController]: 'yes' }) }
  const body = { metadata: { ...versionOf(claim), annotations: added }, spec: { volumeName: metadata.name } }
  return client.patch(persistentVolumeClaims, { namespace, name }, { type: 'merge', body }, { signal })
}

function versionOf({ metadata }: PersistentVolume | PersistentVolumeClaim): { uid: string; resourceVersion: string } {
  return { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' }
}

function boundStatus({ status }: PersistentVolumeClaim, { spec }: PersistentVolume): PersistentVolumeClaimStatus {
  return {
    ...status,
    phase: 'Bound',
    ...(spec?.accessModes === undefined ? {} : { accessModes: spec.accessModes }),
    ...(spec?.capacity === undefined ? {} : { capacity: spec.capacity }),
  }
}

/** Writes the status of a claim when it differs. */
export async function setClaimStatus(
  client: Client,
  claim: PersistentVolumeClaim,
  status: PersistentVolumeClaimStatus,
  signal: AbortSignal,
): Promise<void> {
  if (deepEqual(claim.status, status)) return
  await client.update(persistentVolumeClaims, { ...claim, status }, { subresource: 'status', signal })
}

/** Writes phase, reason and message of a volume when they differ. */
export async function setVolumePhase(
  client: Client,
  volume: PersistentVolume,
  { phase, message, reason }: { readonly phase: string; readonly message?: string; readonly reason?: string },
  signal: AbortSignal,
): Promise<void> {
  const { status } = volume
  if (status?.phase === phase && status.message === message && status.reason === reason) return
  const next = { phase, ...(message === undefined ? {} : { message }), ...(reason === undefined ? {} : { reason }) }
  await client.update(persistentVolumes, { ...volume, status: next }, { subresource: 'status', signal })
}
