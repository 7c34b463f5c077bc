import { isAbsolute } from 'node:path'
import type { StatusCause } from '#apimachinery/errors.ts'
import { isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { HostDisk, Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { validateName } from '#apimachinery/names.ts'
import { duplicateNames, invalidValue } from './cause.ts'
import { validateCloudInit } from './cloud-init.ts'

/**
 * Validates that volumes have different names and exactly one source each, of kinds that the
 * cluster allows.
 */
export function validateVolumes(spec: VirtualMachineInstanceSpec, base: string, featureGates: readonly string[]): StatusCause[] {
  const path = `${base}.volumes`
  const volumes = spec.volumes ?? []
  return [
    ...duplicateNames(path, volumes),
    ...volumes.flatMap((volume, index) => validateVolume(volume, `${path}[${index}]`, featureGates)),
  ]
}

function validateVolume(volume: Volume, path: string, featureGates: readonly string[]): StatusCause[] {
  const causes = validateName(volume.name, 'dns-label').map((message) => invalidValue(`${path}.name`, message))
  const sources = Object.entries(volume).filter(([key, source]) => key !== 'name' && source !== undefined && source !== null)
  if (sources.length !== 1) causes.push(invalidValue(path, `${path} must have exactly one source type set`))
  if (volume.containerDisk !== undefined && volume.containerDisk.image === '') {
    causes.push({
      reason: 'FieldValueRequired',
      message: `${path}.containerDisk.image is a required field`,
      field: `${path}.containerDisk.image`,
    })
  }
  const capacity = volume.emptyDisk?.capacity
  if (capacity !== undefined && !(isQuantity(capacity) && parseQuantity(capacity).nanos > 0n)) {
    causes.push(invalidValue(`${path}.emptyDisk.capacity`, 'Capacity of emptyDisk must be greater than zero.'))
  }
  causes.push(...validateCloudInit(volume, path))
  if (volume.hostDisk !== undefined) causes.push(...validateHostDisk(volume.hostDisk, path, featureGates.includes('HostDisk')))
  return causes
}

/**
 * Validates a path of the node, which gives read and write access there: the cluster's
 * administrator must have enabled the feature gate.
 */
function validateHostDisk({ path: file, type, capacity }: HostDisk, path: string, isAllowed: boolean): StatusCause[] {
  const at = `${path}.hostDisk`
  const causes = isAllowed ? [] : [invalidValue(path, 'HostDisk feature gate is not enabled')]
  if (file === '') causes.push({ reason: 'FieldValueNotFound', message: `${at}.path is required for hostDisk volume`, field: `${at}.path` })
  else if (!isAbsolute(file) || file.endsWith('/'))
    causes.push(invalidValue(`${at}.path`, `${at}.path must be the absolute path of a file`))
  if (type !== 'Disk' && type !== 'DiskOrCreate') {
    causes.push(invalidValue(`${at}.type`, `${at}.type has invalid value '${type}', allowed are 'Disk' or 'DiskOrCreate'`))
  }
  if (capacity === undefined) return causes
  const isSize = isQuantity(capacity) && parseQuantity(capacity).nanos >= 0n
  if (!isSize) causes.push(invalidValue(`${at}.capacity`, `${at}.capacity must be a quantity of bytes`))
  else if (type === 'Disk' && parseQuantity(capacity).nanos > 0n) {
    causes.push(invalidValue(`${at}.capacity`, `${at}.capacity is allowed to pass only with ${at}.type equal to 'DiskOrCreate'`))
  }
  return causes
}
