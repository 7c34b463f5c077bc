import { isAbsolute } from 'node:path'
import type { StatusCause } from '#apimachinery/errors.ts'
import { isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import type { HostDisk, Volume } from '#api/kubevirt/v1/volume.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { validateName } from '#apimachinery/names.ts'
import { isGateOpen } from '#features/cluster-config/index.ts'
import { duplicateNames, invalidValue, requiredValue, when, type ValidationConfig } from '../cause.ts'
import { validateCloudInit } from './cloud-init.ts'
import { validateContainerPath } from './container-path.ts'

/**
 * Validates that volumes have different names and exactly one source each, of kinds that the
 * cluster allows, and that each is shown to the guest.
 */
export function validateVolumes(spec: VirtualMachineInstanceSpec, base: string, config: ValidationConfig): readonly StatusCause[] {
  const path = `${base}.volumes`
  const volumes = spec.volumes ?? []
  return [
    ...duplicateNames(path, volumes),
    ...volumes.flatMap((volume, index) => validateVolume(volume, `${path}[${index}]`)),
    ...validateVolumeNames(spec, path),
    ...atMostOne(volumes, 'serviceAccount', path, 'serviceAccount'),
    ...atMostOne(volumes, 'downwardMetrics', path, 'downwardMetric'),
    ...atMostOne(volumes, 'memoryDump', path, 'memory dump'),
    ...validateUtilityVolumes(spec, base),
    ...validateContainerPaths(spec, path),
    ...validateFilesystems(spec, base, config),
  ]
}

/**
 * Validates the names of volumes without a disk. The API server refuses a pod with such a volume,
 * and KubeVirt checks the names of disks only.
 */
function validateVolumeNames({ volumes = [], domain }: VirtualMachineInstanceSpec, list: string): readonly StatusCause[] {
  const disks = new Set((domain.devices.disks ?? []).map(({ name }) => name))
  return volumes.flatMap(({ name }, index) =>
    disks.has(name) ? [] : validateName(name, 'dns-label').map((message) => invalidValue(`${list}[${index}].name`, message)),
  )
}

function atMostOne(volumes: readonly Volume[], kind: keyof Volume, path: string, name: string): readonly StatusCause[] {
  const count = volumes.filter((volume) => volume[kind] !== undefined).length
  return when(count > 1, invalidValue(path, `${path} must have max one ${name} volume set`))
}

function validateVolume(volume: Volume, path: string): readonly StatusCause[] {
  const sources = Object.entries(volume).filter(([key, source]) => key !== 'name' && source !== undefined && source !== null)
  const { containerDisk, emptyDisk, dataVolume, configMap, secret, serviceAccount } = volume
  const isRequired = (field: string, value: string | undefined): readonly StatusCause[] =>
    when((value ?? '') === '', invalidValue(`${path}.${field}`, `${path}.${field} is a required field`))
  const capacity = emptyDisk?.capacity
  return [
    ...when(dataVolume?.name === '', requiredValue(`${path}.name`, "DataVolume 'name' must be set")),
    ...when(sources.length !== 1, invalidValue(path, `${path} must have exactly one source type set`)),
    ...validateCloudInit(volume, path),
    ...(volume.hostDisk === undefined ? [] : validateHostDisk(volume.hostDisk, path)),
    ...(configMap === undefined ? [] : isRequired('configMap.name', configMap.name)),
    ...(secret === undefined ? [] : isRequired('secret.secretName', secret.secretName)),
    ...(serviceAccount === undefined ? [] : isRequired('serviceAccount.serviceAccountName', serviceAccount.serviceAccountName)),
    ...when(containerDisk?.image === '', requiredValue(`${path}.containerDisk.image`, `${path}.containerDisk.image is a required field`)),
    ...(containerDisk?.path ? validateContainerPath(containerDisk.path, `${path}.containerDisk`) : []),
    ...when(
      capacity !== undefined && !(isQuantity(capacity) && parseQuantity(capacity).nanos > 0n),
      invalidValue(`${path}.emptyDisk.capacity`, 'Capacity of emptyDisk must be greater than zero.'),
    ),
  ]
}

/** Validates a path of the node. */
function validateHostDisk({ path: file, type, capacity }: HostDisk, path: string): readonly StatusCause[] {
  const at = `${path}.hostDisk`
  const isSize = capacity === undefined || (isQuantity(capacity) && parseQuantity(capacity).nanos >= 0n)
  const missing: StatusCause = { reason: 'FieldValueNotFound', message: `${at}.path is required for hostDisk volume`, field: `${at}.path` }
  return [
    ...when(file === '', missing),
    ...when(
      file !== '' && (!isAbsolute(file) || file.endsWith('/')),
      invalidValue(`${at}.path`, `${at}.path must be the absolute path of a file`),
    ),
    ...when(
      type !== 'Disk' && type !== 'DiskOrCreate',
      invalidValue(`${at}.type`, `${at}.type has invalid value '${type}', allowed are 'Disk' or 'DiskOrCreate'`),
    ),
    ...when(!isSize, invalidValue(`${at}.capacity`, `${at}.capacity must be a quantity of bytes`)),
    ...when(
      type === 'Disk' && isSize && capacity !== undefined && parseQuantity(capacity).nanos > 0n,
      invalidValue(`${at}.capacity`, `${at}.capacity is allowed to pass only with ${at}.type equal to 'DiskOrCreate'`),
    ),
  ]
}

function validateUtilityVolumes({ utilityVolumes }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const message = 'cannot create VMI with utility volumes in spec, utility volumes can only be added via hotplug'
  return when((utilityVolumes ?? []).length > 0, invalidValue(`${base}.utilityVolumes`, message))
}

/** Folders of a launcher that are not shown to a guest. */
const reservedFolders = ['/var/run/kubevirt', '/var/run/libvirt']

/** Validates that a folder of the launcher is shown as a filesystem. */
function validateContainerPaths({ volumes = [], domain }: VirtualMachineInstanceSpec, list: string): readonly StatusCause[] {
  const has = (devices: readonly { readonly name: string }[] | undefined, name: string): boolean =>
    devices?.some((device) => device.name === name) === true
  return volumes.flatMap(({ name, containerPath }, index) => {
    if (containerPath === undefined) return []
    const path = `${list}[${index}]`
    const isFilesystem = has(domain.devices.filesystems, name)
    const reserved = reservedFolders.find((folder) => containerPath.path.startsWith(folder))
    const missing = `ContainerPath volume '${name}' must have a matching filesystem defined in spec.domain.devices.filesystems`
    return [
      ...when(
        has(domain.devices.disks, name),
        invalidValue(path, `ContainerPath volume '${name}' must be mapped to a filesystem, not a disk`),
      ),
      ...when(!isFilesystem, invalidValue(path, missing)),
      ...when(
        reserved !== undefined,
        invalidValue(`${path}.containerPath.path`, `ContainerPath volume '${name}' uses reserved path prefix '${reserved}'`),
      ),
    ]
  })
}

/** Validates that storage is shown as a filesystem only where the cluster allows it. */
function validateFilesystems(
  { volumes = [], domain }: VirtualMachineInstanceSpec,
  base: string,
  { featureGates }: ValidationConfig,
): readonly StatusCause[] {
  const storage = new Set(volumes.filter(isStorage).map(({ name }) => name))
  const message = 'virtiofs is not allowed: virtiofs feature gate is not enabled for PVC'
  return (domain.devices.filesystems ?? []).flatMap(({ name }) =>
    when(
      storage.has(name) && !isGateOpen('EnableVirtioFsStorageVolumes', featureGates),
      invalidValue(`${base}.domain.devices.filesystems`, message),
    ),
  )
}

function isStorage({ persistentVolumeClaim, dataVolume }: Volume): boolean {
  return persistentVolumeClaim !== undefined || dataVolume !== undefined
}
