import type { StatusCause } from '#apimachinery/errors.ts'
import { validateName } from '#apimachinery/names.ts'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Volume } from '#api/kubevirt/v1/volume.ts'
import { isGateOpen } from '#features/cluster-config/index.ts'
import { duplicateNames, invalidValue, requiredValue, unsupportedValue, when, type ValidationConfig } from '../cause.ts'

const buses: readonly string[] = ['virtio', 'scsi', 'sata', 'usb']
const caches: readonly string[] = ['', 'none', 'writethrough', 'writeback']
const ioModes: readonly string[] = ['', 'native', 'threads', 'default']
const errorPolicies: readonly string[] = ['stop', 'ignore', 'report', 'enospace']
const kinds = ['disk', 'lun', 'cdrom'] as const
const maxSerial = 256

/** Validates disks: their names, kinds, buses and modes, and the volume of each. */
export function validateDisks(spec: VirtualMachineInstanceSpec, base: string, config: ValidationConfig): readonly StatusCause[] {
  const path = `${base}.domain.devices.disks`
  const disks = spec.domain.devices.disks ?? []
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]))
  return [
    ...duplicateNames(path, disks),
    ...disks.flatMap((disk, index) => validateDisk(disk, path, index)),
    ...disks.flatMap((disk, index) => validateVolumeOf(disk, volumes.get(disk.name), `${path}[${index}]`, config)),
    ...validateBootOrder(spec, base),
  ]
}

function validateDisk(disk: Disk, list: string, index: number): readonly StatusCause[] {
  const path = `${list}[${index}]`
  const { serial = '', cache = '', io = '', errorPolicy, name } = disk
  const expected = 'must be made up of the following characters [A-Za-z0-9_.+-], if specified'
  return [
    ...when(
      kinds.filter((kind) => disk[kind] !== undefined).length > 1,
      invalidValue(path, `${path} can only have a single target type defined`),
    ),
    ...validatePciAddress(disk, path),
    ...validateBus(disk, path),
    ...when(serial !== '' && !/^[A-Za-z0-9_.+-]+$/.test(serial), invalidValue(`${path}.serial`, `${path} ${expected}`)),
    ...when(
      Array.from(serial).length > maxSerial,
      invalidValue(`${path}.serial`, `${path} must be less than or equal to ${maxSerial} in length, if specified`),
    ),
    ...when(!caches.includes(cache), invalidValue(`${path}.cache`, `${path}.cache has invalid value ${cache}`)),
    ...when(
      !ioModes.includes(io),
      unsupportedValue(`${path}.io`, `Disk IO mode for ${list} is not supported. Supported modes are: native, threads.`),
    ),
    ...when(
      errorPolicy !== undefined && !errorPolicies.includes(errorPolicy),
      invalidValue(`${path}.errorPolicy`, `${path}.errorPolicy has invalid value "${errorPolicy}"`),
    ),
    ...validateName(name, 'dns-label').map((message) => invalidValue(`${path}.name`, message)),
    ...validateBlockSize(disk, path),
  ]
}

function validatePciAddress({ disk: target }: Disk, path: string): readonly StatusCause[] {
  const address = target?.pciAddress ?? ''
  if (target === undefined || address === '') return []
  const field = `${path}.disk.pciAddress`
  return [
    ...when(
      target.bus !== 'virtio',
      invalidValue(field, `disk ${path}.name - setting a PCI address is only possible with bus type virtio.`),
    ),
    ...when(
      !/^[\da-fA-F]{4}:[\da-fA-F]{2}:[\da-fA-F]{2}\.[0-7]$/.test(address),
      invalidValue(field, `disk ${path}.name has malformed PCI address (${address}).`),
    ),
  ]
}

function validateBus(disk: Disk, path: string): readonly StatusCause[] {
  const kind = kinds.find((one) => disk[one] !== undefined)
  const bus = kind === undefined ? '' : (disk[kind]?.bus ?? '')
  if (kind === undefined || bus === '') return []
  const field = `${path}.${kind}.bus`
  const isKnown = buses.includes(bus)
  return [
    ...when(bus === 'ide', invalidValue(field, 'IDE bus is not supported')),
    ...when(
      !isKnown && bus !== 'ide',
      invalidValue(field, `${path} is set with an unrecognized bus ${bus}, must be one of: [${buses.join(' ')}]`),
    ),
    ...when(bus === 'virtio' && kind === 'cdrom', invalidValue(field, `Bus type ${bus} is invalid for CD-ROM device`)),
    ...when(bus === 'sata' && disk.disk?.readonly === true, invalidValue(field, `${bus} hard-disks do not support read-only.`)),
    ...when(
      disk.dedicatedIOThread === true && bus !== 'virtio',
      unsupportedValue(path, `IOThreads are not supported for disks on a ${bus} bus`),
    ),
  ]
}

const [smallestBlock, largestBlock] = [512, 2 << 20]

/**
 * Validates what QEMU refuses at start: block sizes that are no power of two, and a physical size
 * below the logical one.
 */
function validateBlockSize(disk: Disk, path: string): readonly StatusCause[] {
  const { custom, matchVolume } = disk.blockSize ?? {}
  if (custom === undefined) return []
  if (matchVolume !== undefined && matchVolume.enabled !== false)
    return [invalidValue(`${path}.blockSize`, "Block size matching can't be enabled together with a custom value")]
  const at = `${path}.blockSize.custom`
  const { logical = 0, physical = 0, discardGranularity } = custom
  const kind = kinds.find((one) => disk[one] !== undefined)
  if (logical > physical)
    return [invalidValue(`${at}.logical`, `Logical size ${logical} must be the same or less than the physical size of ${physical}`)]
  if (kind !== undefined && disk[kind]?.bus === 'sata' && logical !== smallestBlock)
    return [invalidValue(`${at}.logical`, `Logical size ${logical} must be ${smallestBlock} for SATA devices`)]
  if (discardGranularity !== undefined && logical !== 0 && discardGranularity % logical !== 0) {
    const message = `Discard granularity ${discardGranularity} must be multiples of logical size ${logical}`
    return [invalidValue(`${at}.discardGranularity`, message)]
  }
  return Object.entries({ logical, physical }).flatMap(([key, size]) => {
    const rule = blockSizeRule(size)
    return rule === undefined ? [] : [invalidValue(`${at}.${key}`, `Provided size of ${size} is ${rule}`)]
  })
}

function blockSizeRule(size: number): string | undefined {
  if (size < smallestBlock) return `less than the supported minimum size of ${smallestBlock}`
  if (size > largestBlock) return `greater than the supported maximum size of ${largestBlock}`
  return (size & (size - 1)) === 0 ? undefined : 'not a power of 2'
}

function validateVolumeOf(
  disk: Disk,
  volume: Volume | undefined,
  path: string,
  { featureGates }: ValidationConfig,
): readonly StatusCause[] {
  if (volume === undefined) {
    if (disk.cdrom === undefined) return [invalidValue(`${path}.name`, `${path}.Name '${disk.name}' not found.`)]
    const gate = 'DeclarativeHotplugVolumes'
    const message = `${gate} feature gate not enabled, cannot define an empty CD-ROM disk`
    return when(!isGateOpen(gate, featureGates), invalidValue(`${path}.name`, message))
  }
  const isBlock = volume.persistentVolumeClaim !== undefined || volume.dataVolume !== undefined
  return [
    ...when(
      disk.lun !== undefined && !isBlock,
      invalidValue(`${path}.lun`, `${path}.lun can only be mapped to a DataVolume or PersistentVolumeClaim volume.`),
    ),
    ...(volume.downwardMetrics === undefined ? [] : validateMetricsDisk(disk, path)),
  ]
}

function validateMetricsDisk({ disk: target }: Disk, path: string): readonly StatusCause[] {
  const field = `${path}.disk`
  if (target === undefined)
    return [requiredValue(field, `DownwardMetrics volume must be mapped to a disk, but disk is not set on ${field}.`)]
  const { bus = '' } = target
  return when(
    bus !== 'virtio' && bus !== '',
    invalidValue(`${field}.bus`, `DownwardMetrics volume must be mapped to virtio bus, but ${field}.bus is set to ${bus}`),
  )
}

/** Validates boot orders, which start at 1 and are shared by disks and interfaces. */
function validateBootOrder(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { disks = [], interfaces = [] } = spec.domain.devices
  const devices = [
    ...disks.map(({ bootOrder }, index) => ({ bootOrder, path: `${base}.domain.devices.disks[${index}]` })),
    ...interfaces.map(({ bootOrder }, index) => ({ bootOrder, path: `${base}.domain.devices.interfaces[${index}]` })),
  ]
  const taken = new Set<number>()
  return devices.flatMap(({ bootOrder, path }) => {
    if (bootOrder === undefined) return []
    const field = `${path}.bootOrder`
    const isTaken = taken.has(bootOrder)
    taken.add(bootOrder)
    if (bootOrder < 1) return [invalidValue(field, `${path} must have a boot order > 0, if supplied`)]
    return when(isTaken, invalidValue(field, `Boot order for ${field} already set for a different device.`))
  })
}
