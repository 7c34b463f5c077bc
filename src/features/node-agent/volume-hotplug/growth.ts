import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { PersistentVolumeClaimInfo } from '#api/kubevirt/v1/volume-status.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { activeMigration } from '#features/vmi/index.ts'
import { QmpClosed, readDiskSizes, resizeDisk, type DiskRef, type QmpConnection } from '#qemu/index.ts'
import type { Guest } from '../guest/guest.ts'
import type { Ports } from '../guest/ports.ts'
import { imageBytes } from '../volumes/persistent-volumes.ts'

/** A disk of a claim, and the size that the claim has for it. */
export interface ClaimDisk extends DiskRef {
  readonly claimBytes: number
  /** Size that the guest was last seen with. */
  readonly knownBytes: number | undefined
}

/** Sizes of disks in bytes, by name, and what they lack. */
export interface DiskSizes {
  readonly bytes: ReadonlyMap<string, number>
  /** True if a disk could not be made larger. */
  readonly isSmaller: boolean
}

/** Lists the disks of claims that a guest can write to. Pure. */
export function claimDisks(
  { spec, status }: VirtualMachineInstance,
  launched: readonly { readonly name: string; readonly readOnly: boolean }[],
  plugged: ReadonlySet<string>,
): ClaimDisk[] {
  const writable = new Set([
    ...launched.flatMap(({ name, readOnly }) => (readOnly ? [] : [name])),
    ...(spec.domain.devices.disks ?? []).flatMap(({ name, cdrom, disk }) =>
      plugged.has(name) && cdrom === undefined && disk?.readonly !== true ? [name] : [],
    ),
  ])
  return (status?.volumeStatus ?? []).flatMap(({ name, size, persistentVolumeClaimInfo: info }) =>
    info === undefined || !writable.has(name)
      ? []
      : [{ name, isPlugged: plugged.has(name), claimBytes: bytesOf(info), knownBytes: size === undefined ? undefined : Number(size) }],
  )
}

function bytesOf(info: PersistentVolumeClaimInfo): number {
  const bytes = info.volumeMode === 'Block' ? quantityToBytes(parseQuantity(info.capacity?.['storage'] ?? '0')) : imageBytes(info)
  return Number(bytes - (bytes % 512n))
}

/** Limit in milliseconds for the commands about sizes. */
const timeoutMs = 10_000

/**
 * Makes disks as large as their claims have become. QEMU is asked when a claim is larger than the
 * disk was last seen, or nothing is known. Undefined when QEMU does not answer.
 */
export async function growDisks(
  ports: Pick<Ports, 'recorder'>,
  { guest, record, vmi }: { readonly guest: Guest; readonly record: LaunchRecord; readonly vmi: VirtualMachineInstance },
  plugged: ReadonlySet<string>,
): Promise<DiskSizes | undefined> {
  const disks = claimDisks(vmi, record.domain.disks, plugged)
  // The target of a migration has opened them with the size of before, and so has a copy.
  const isHeld = activeMigration(vmi) !== undefined || Boolean(vmi.status?.steadyvm?.diskCopy)
  const isDue = disks.some(({ claimBytes, knownBytes = 0 }) => claimBytes > knownBytes) && !isHeld
  if (!isDue)
    return {
      bytes: new Map(disks.flatMap(({ name, knownBytes }) => (knownBytes === undefined ? [] : [[name, knownBytes]]))),
      isSmaller: false,
    }
  try {
    return await guest.query((qmp) => grow(ports, vmi, disks, qmp), timeoutMs)
  } catch (error) {
    if (error instanceof QmpClosed) return undefined
    throw error
  }
}

async function grow(
  { recorder }: Pick<Ports, 'recorder'>,
  vmi: VirtualMachineInstance,
  disks: readonly ClaimDisk[],
  qmp: QmpConnection,
): Promise<DiskSizes> {
  const bytes = new Map(await readDiskSizes(qmp, disks))
  let isSmaller = false
  for (const disk of disks) {
    const { name, claimBytes } = disk
    const before = bytes.get(name)
    if (before === undefined || before >= claimBytes) continue
    const refusal = await resizeDisk(qmp, disk, claimBytes)
    if (refusal !== undefined) {
      isSmaller = true
      recorder.event(vmi, 'Warning', 'DiskNotResized', `Disk ${name} of the running guest does not grow with its claim: ${refusal}`)
      continue
    }
    bytes.set(name, claimBytes)
    recorder.event(vmi, 'Normal', 'DiskResized', `Disk ${name} of the running guest has grown from ${before} to ${claimBytes} bytes.`)
  }
  return { bytes, isSmaller }
}
