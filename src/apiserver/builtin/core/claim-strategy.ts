import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '#api/core/v1/persistent-volume-claim.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { validateAccessModes, validateStorage, validateVolumeMode } from '../storage/storage-validation.ts'

/** Strategy of claims: pending at first; only binding and growth can change the spec. */
export const claimStrategy: Strategy = {
  prepareForCreate(object) {
    const claim: PersistentVolumeClaim = { ...(object as PersistentVolumeClaim), status: { phase: 'Pending' } }
    return claim
  },
  validate(object, old) {
    const { spec = {} } = object as PersistentVolumeClaim
    return old === undefined ? validateNew(spec) : validateChange(spec, old as PersistentVolumeClaim)
  },
}

function validateNew({ accessModes, volumeMode, resources }: PersistentVolumeClaimSpec): readonly FieldError[] {
  return [
    ...validateAccessModes(accessModes),
    ...validateVolumeMode(volumeMode),
    ...validateStorage('spec.resources[storage]', resources?.requests?.['storage']),
  ]
}

const frozen = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'

function validateChange(spec: PersistentVolumeClaimSpec, { spec: before = {}, status }: PersistentVolumeClaim): readonly FieldError[] {
  const wanted = spec.resources?.requests?.['storage']
  const had = before.resources?.requests?.['storage']
  const isBound = status?.phase === 'Bound'
  const errors = deepEqual(fixedPart(spec, before, isBound), fixedPart(before, before, isBound)) ? [] : [forbiddenField('spec', frozen)]
  if (wanted === undefined || had === undefined || parseQuantity(wanted).nanos >= parseQuantity(had).nanos) return errors
  return [...errors, forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')]
}

/**
 * Fields that must not change: all but volume and class of an unbound claim, and the request of a
 * bound one.
 */
function fixedPart(spec: PersistentVolumeClaimSpec, before: PersistentVolumeClaimSpec, isBound: boolean): unknown {
  const { volumeName, storageClassName, volumeAttributesClassName: _, resources, ...rest } = spec
  return {
    ...rest,
    volumeName: (before.volumeName ?? '') === '' ? '' : volumeName,
    storageClassName: before.storageClassName === undefined && !isBound ? '' : storageClassName,
    resources: isBound ? { ...resources, requests: {} } : resources,
  }
}
