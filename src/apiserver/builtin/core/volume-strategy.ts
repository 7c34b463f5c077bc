import type { PersistentVolume, PersistentVolumeSpec } from '#api/core/v1/persistent-volume.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { quote } from '#apimachinery/field-messages.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { forbiddenField, immutableField } from '../checks/immutable-field.ts'
import { validateAccessModes, validateStorage, validateVolumeMode } from '../storage/storage-validation.ts'

/** Fields of the spec other than the volume source. */
const common: ReadonlySet<string> = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
])
const policies = ['Delete', 'Recycle', 'Retain']

/** Strategy of volumes: pending at first, with an immutable source. */
export const volumeStrategy: Strategy = {
  prepareForCreate(object) {
    const volume: PersistentVolume = { ...(object as PersistentVolume), status: { phase: 'Pending' } }
    return volume
  },
  validate(object, old) {
    const { spec = {} } = object as PersistentVolume
    return [...validateSpec(spec), ...(old === undefined ? [] : validateChange(spec, (old as PersistentVolume).spec ?? {}))]
  },
}

function validateSpec(spec: PersistentVolumeSpec): FieldError[] {
  const sources = sourcesOf(spec)
  const names = Object.keys(sources)
  const policy = spec.persistentVolumeReclaimPolicy
  const unsupported = `Unsupported value: ${quote(policy ?? '')}: supported values: ${policies.map(quote).join(', ')}`
  return [
    ...validateAccessModes(spec.accessModes),
    ...validateVolumeMode(spec.volumeMode),
    ...validateStorage('spec.capacity[storage]', spec.capacity?.['storage']),
    ...(names.length === 0
      ? [{ reason: 'FieldValueRequired', field: 'spec', message: 'Required value: must specify a volume type' } as const]
      : []),
    ...names.slice(1).map((name) => forbiddenField(`spec.${name}`, 'may not specify more than 1 volume type')),
    ...(spec.local !== undefined && spec.nodeAffinity?.required === undefined
      ? [
          {
            reason: 'FieldValueRequired',
            field: 'spec.nodeAffinity',
            message: 'Required value: Local volume requires node affinity',
          } as const,
        ]
      : []),
    ...(policy === undefined || policies.includes(policy)
      ? []
      : [{ reason: 'FieldValueNotSupported', field: 'spec.persistentVolumeReclaimPolicy', message: unsupported } as const]),
  ]
}

function validateChange(spec: PersistentVolumeSpec, before: PersistentVolumeSpec): FieldError[] {
  const moved = !deepEqual(sourcesOf(spec), sourcesOf(before))
  return [
    ...(moved ? [forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')] : []),
    ...immutableField('spec.volumeMode', spec.volumeMode, before.volumeMode),
    ...(before.nodeAffinity === undefined ? [] : immutableField('spec.nodeAffinity', spec.nodeAffinity, before.nodeAffinity)),
  ]
}

function sourcesOf(spec: PersistentVolumeSpec): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => !common.has(name) && value !== undefined))
}
