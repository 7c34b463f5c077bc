import { storageProfiles } from '#api/cdi/v1beta1/resources.ts'
import type { StorageProfile } from '#api/cdi/v1beta1/storage-profile.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import { isAlreadyExists, isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import { timestamp, type Clock } from '#runtime/clock/clock.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { minimumSizeAnnotation, minimumSizeOf, profileStatusOf } from './profile-status.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Client
  readonly clock: Pick<Clock, 'now'>
  readonly profiles: Pick<Lister<StorageProfile>, 'get'>
  readonly classes: Pick<Lister<StorageClass>, 'get'>
}

/** Keeps one StorageProfile for each storage class, with the name of the class. */
export function createProfileReconciler(ports: Ports): Reconciler {
  return async ({ name }, { signal }) => {
    const client = withSignal(ports.client, signal)
    const [profile, storageClass] = [ports.profiles.get('', name), ports.classes.get('', name)]
    if (storageClass === undefined) {
      if (profile !== undefined && !isBeingDeleted(profile)) await remove(client, profile)
      return done
    }
    if (isBeingDeleted(storageClass)) return done
    const kept = profile ?? (await create(client, storageClass))
    if (kept !== undefined && !isBeingDeleted(kept))
      await found(
        patchStatus(client, storageProfiles, kept, replacing(kept, profileStatusOf(kept, storageClass, timestamp(ports.clock.now())))),
      )
    return done
  }
}

/** A field that is no longer known must go. */
function replacing({ status = {} }: StorageProfile, next: object): object {
  const gone = Object.keys(status).filter((key) => !Object.hasOwn(next, key))
  return { ...next, ...Object.fromEntries(gone.map((key) => [key, null])) }
}

async function create(client: Client, storageClass: StorageClass): Promise<StorageProfile | undefined> {
  const minimum = minimumSizeOf(storageClass)
  const { name = '' } = storageClass.metadata
  const profile: StorageProfile = {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'StorageProfile',
    metadata: { name, ...(minimum === undefined ? {} : { annotations: { [minimumSizeAnnotation]: minimum } }) },
    spec: {},
  }
  try {
    return await client.create<StorageProfile>(storageProfiles, profile)
  } catch (error) {
    // The event of the one that exists follows.
    if (isAlreadyExists(error)) return undefined
    throw error
  }
}

async function remove(client: Client, { metadata: { name = '', uid } }: StorageProfile): Promise<void> {
  try {
    await client.delete(storageProfiles, { name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
