import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { configName, importSettingsOf } from '#features/storage-profile/index.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { withSignal } from '#runtime/controller/with-signal.ts'
import { actFill } from './fill/act-fill.ts'
import { decideFill } from './fill/decide-fill.ts'
import type { FillOrder } from './fill/order.ts'
import { names } from './names.ts'
import { progressOf, workerOf } from './observe.ts'
import type { FillPorts } from './ports.ts'

const refusedMs = 15_000

/**
 * Reports whether clients upload the content of a claim that no DataVolume owns. Those that name a
 * VolumeUploadSource are filled by the populator. Pure.
 */
export function isUploadClaim(claim: PersistentVolumeClaim): boolean {
  const namesContent = claim.spec?.dataSourceRef !== undefined || claim.spec?.dataSource !== undefined
  return claim.metadata.annotations?.[names.uploadTarget] !== undefined && controllerOf(claim)?.kind !== 'DataVolume' && !namesContent
}

/**
 * Starts a worker for each claim that asks for an upload, as `virtctl image-upload pvc` makes them.
 */
export function createUploadClaimReconciler(shared: FillPorts): Reconciler {
  return async ({ namespace, name }, { signal }) => {
    const ports = { ...shared, client: withSignal(shared.client, signal) }
    const claim = ports.claims.get(namespace, name)
    if (claim === undefined || isBeingDeleted(claim) || !isUploadClaim(claim)) return done
    const pod = workerOf(ports, claim)
    const { annotations = {} } = claim.metadata
    const step = decideFill({
      claim,
      pod,
      bindsLate: ports.classes.get('', claim.spec?.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer',
      bindsAtOnce: annotations[names.immediateBinding] !== undefined,
      obstacle: undefined,
      isComplete: ports.complete.has(pod?.metadata.uid ?? ''),
      progress: await progressOf(ports, pod, signal),
    })
    const refused = await actFill(ports, orderOf(ports, claim), step)
    if (refused !== undefined) {
      ports.recorder.event({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, 'Warning', refused.reason, refused.message)
      return recheckIn(refusedMs)
    }
    return step.kind === 'follow' ? recheckIn(ports.progressMs) : done
  }
}

function orderOf({ configs, installations }: FillPorts, claim: PersistentVolumeClaim): FillOrder {
  const { annotations = {} } = claim.metadata
  return {
    claim,
    source: { upload: {} },
    contentType: annotations[names.contentType] === 'archive' ? 'archive' : 'kubevirt',
    preallocation:
      annotations[names.preallocationRequested] === 'true' ||
      importSettingsOf(configs.get('', configName), installations.list()[0]).preallocation,
    owner: ownerOf(claim),
    annotations,
  }
}

function ownerOf({ metadata: { name = '', uid = '' } }: PersistentVolumeClaim): OwnerReference {
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid, controller: true, blockOwnerDeletion: true }
}
