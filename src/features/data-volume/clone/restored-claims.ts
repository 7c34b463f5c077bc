import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { isFilled } from '../fill/decide-fill.ts'
import { names } from '../names.ts'
import type { FillPorts } from '../ports.ts'
import { restoredName } from './snapshot-source.ts'

/** Reports whether a snapshot was restored to the claim for a worker. Pure. */
export function isRestored({ metadata }: PersistentVolumeClaim): boolean {
  const uid = metadata.labels?.[names.restoredForLabel]
  // A label that a user sets deletes nothing of theirs.
  return uid !== undefined && metadata.name === restoredName({ metadata: { uid } })
}

/**
 * Deletes each claim that a snapshot was restored to when the claim that it is copied into is full,
 * cannot be filled, or is gone. No owner can do that: it may be in another namespace.
 */
export function createRestoredClaimReconciler(shared: Pick<FillPorts, 'client' | 'claims'>): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const client = withSignal(shared.client, signal)
    const restored = shared.claims.get(namespace, name)
    if (restored === undefined || isBeingDeleted(restored) || !isRestored(restored)) return done
    const target = targetOf(restored)
    const claim = shared.claims.get(target.namespace, target.name)
    if (claim !== undefined && isNeeded(restored, claim)) return done
    const { uid = '' } = restored.metadata
    await client.delete(persistentVolumeClaims, { namespace, name }, { preconditions: { uid } }).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error
    })
    return done
  }
}

/** The claim that it is copied into. */
export function targetOf({ metadata }: PersistentVolumeClaim): Request {
  const [namespace = '', name = ''] = (metadata.annotations?.[names.restoredFor] ?? '').split('/')
  return { namespace, name }
}

function isNeeded(restored: PersistentVolumeClaim, target: PersistentVolumeClaim): boolean {
  if (restoredName(target) !== restored.metadata.name || isBeingDeleted(target)) return false
  return !isFilled(target) && target.metadata.annotations?.[names.fatalError] !== 'true'
}
