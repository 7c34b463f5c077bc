import type { StatusCause } from '#apimachinery/errors.ts'
import { isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { validateName } from '#apimachinery/names.ts'
import { duplicateNames, invalidValue } from './cause.ts'

/** Volumes have different names and exactly one source each. */
export function validateVolumes(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const path = `${base}.volumes`
  const volumes = spec.volumes ?? []
  return [...duplicateNames(path, volumes), ...volumes.flatMap((volume, index) => validateVolume(volume, `${path}[${index}]`))]
}

function validateVolume(volume: Volume, path: string): StatusCause[] {
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
  return causes
}
