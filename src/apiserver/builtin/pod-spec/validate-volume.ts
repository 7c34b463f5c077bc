import type { Volume } from '#api/core/v1/volume.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue } from '#apimachinery/field-messages.ts'
import { duplicates, labelName, oneOf, requiredField } from '../checks/field-checks.ts'
import { forbiddenField } from '../checks/immutable-field.ts'

const hostPathTypes = ['BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket', '']

/** Validates the volumes of a pod. Volumes without a source have become emptyDirs before. */
export function validateVolumes(volumes: readonly Volume[], field: string): FieldError[] {
  return [
    ...volumes.flatMap((volume, index) => validateVolume(volume, `${field}[${index}]`)),
    ...duplicates(volumes.map(({ name }) => name)).map((index) => duplicateValue(`${field}[${index}].name`, volumes[index]?.name)),
  ]
}

function validateVolume(volume: Volume, field: string): FieldError[] {
  const { name, ...sources } = volume
  const types = Object.entries(sources).flatMap(([type, source]) => (source === undefined ? [] : [type]))
  const { hostPath, secret, configMap, persistentVolumeClaim } = volume
  return [
    ...labelName(`${field}.name`, name),
    ...types.slice(1).map((type) => forbiddenField(`${field}.${type}`, 'may not specify more than 1 volume type')),
    ...(hostPath === undefined ? [] : validateHostPath(hostPath.path, hostPath.type, `${field}.hostPath`)),
    ...(secret !== undefined && (secret.secretName ?? '') === '' ? [requiredField(`${field}.secret.secretName`)] : []),
    ...(configMap !== undefined && (configMap.name ?? '') === '' ? [requiredField(`${field}.configMap.name`)] : []),
    ...(persistentVolumeClaim?.claimName === '' ? [requiredField(`${field}.persistentVolumeClaim.claimName`)] : []),
  ]
}

function validateHostPath(path: string, type: string | undefined, field: string): FieldError[] {
  return [
    ...(path === '' ? [requiredField(`${field}.path`)] : []),
    ...(path.split('/').includes('..') ? [invalidValue(`${field}.path`, path, "must not contain '..'")] : []),
    ...oneOf(`${field}.type`, type, hostPathTypes),
  ]
}
