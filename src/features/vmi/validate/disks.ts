import type { StatusCause } from '#apimachinery/errors.ts'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { duplicateNames, invalidValue, unsupportedValue } from './cause.ts'

const buses: readonly string[] = ['virtio', 'sata', 'scsi', 'usb']
const caches: readonly string[] = ['none', 'writethrough', 'writeback']
const ioModes: readonly string[] = ['native', 'threads', 'default', '']

/** Validates that disks have different names, one kind each, a known bus, and a volume. */
export function validateDisks(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const path = `${base}.domain.devices.disks`
  const disks = spec.domain.devices.disks ?? []
  const volumes = new Set((spec.volumes ?? []).map((volume) => volume.name))
  return [
    ...duplicateNames(path, disks),
    ...disks.flatMap((disk, index) => validateDisk(disk, `${path}[${index}]`, volumes)),
    ...validateBootOrder(spec, base),
  ]
}

function validateDisk(disk: Disk, path: string, volumes: ReadonlySet<string>): StatusCause[] {
  const causes: StatusCause[] = []
  if (!volumes.has(disk.name)) causes.push(invalidValue(`${path}.name`, `${path}.Name '${disk.name}' not found.`))
  const kinds = (['disk', 'lun', 'cdrom'] as const).filter((kind) => disk[kind] !== undefined)
  if (kinds.length > 1) causes.push(invalidValue(`${path}.name`, `${path} can only have a single target type defined`))
  for (const kind of ['disk', 'lun', 'cdrom'] as const) causes.push(...validateBus(disk[kind]?.bus, `${path}.${kind}.bus`))
  if (disk.cache !== undefined && !caches.includes(disk.cache)) {
    causes.push(invalidValue(`${path}.cache`, `${path}.cache has invalid value ${disk.cache}`))
  }
  if (disk.io !== undefined && !ioModes.includes(disk.io)) {
    causes.push(unsupportedValue(`${path}.io`, `Disk IO mode for ${path} is not supported. Supported modes are: native, threads.`))
  }
  causes.push(...validateBlockSize(disk, path))
  return causes
}

function validateBus(bus: string | undefined, field: string): StatusCause[] {
  if (bus === undefined || bus === '' || buses.includes(bus)) return []
  return [invalidValue(field, `${field} is set with an unrecognized bus ${bus}, must be one of: [${buses.join(' ')}]`)]
}

const [smallestBlock, largestBlock] = [512, 2 << 20]

/**
 * Validates what QEMU refuses at start: block sizes that are no power of two, and a physical size
 * below the logical one.
 */
function validateBlockSize({ blockSize }: Disk, disk: string): StatusCause[] {
  const { custom } = blockSize ?? {}
  if (custom === undefined) return []
  const path = `${disk}.blockSize.custom`
  const causes = (['logical', 'physical'] as const).flatMap((key) => {
    const size = custom[key] ?? 0
    const rule =
      size < smallestBlock
        ? `less than the supported minimum size of ${smallestBlock}`
        : size > largestBlock
          ? `greater than the supported maximum size of ${largestBlock}`
          : (size & (size - 1)) !== 0
            ? 'not a power of 2'
            : undefined
    return rule === undefined ? [] : [invalidValue(`${path}.${key}`, `Provided size of ${size} is ${rule}`)]
  })
  const { logical = 0, physical = 0 } = custom
  if (causes.length > 0 || logical <= physical) return causes
  return [invalidValue(`${path}.logical`, `Logical size ${logical} must be the same or less than the physical size of ${physical}`)]
}

/** Validates boot orders, which start at 1 and are shared by disks and interfaces. */
function validateBootOrder(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const { disks = [], interfaces = [] } = spec.domain.devices
  const devices = [
    ...disks.map(({ bootOrder }, index) => ({ bootOrder, path: `${base}.domain.devices.disks[${index}]` })),
    ...interfaces.map(({ bootOrder }, index) => ({ bootOrder, path: `${base}.domain.devices.interfaces[${index}]` })),
  ]
  const taken = new Set<number>()
  return devices.flatMap(({ bootOrder, path }) => {
    if (bootOrder === undefined) return []
    const field = `${path}.bootOrder`
    if (bootOrder < 1) return [invalidValue(field, `${path} must have a boot order > 0, if supplied`)]
    const isTaken = taken.has(bootOrder)
    taken.add(bootOrder)
    return isTaken ? [invalidValue(field, `Boot order for ${field} already set for a different device.`)] : []
  })
}
