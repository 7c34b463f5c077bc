import { found } from '#client/found.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { changesSince, describeChanges, isPlugged, launchDigest } from '#features/hardware-record/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { fingerprintHash, QemuUnavailable, rehearseFingerprint, type Fingerprint } from '#qemu/index.ts'
import { UnsupportedGuest } from '../domain/unsupported-guest.ts'
import type { Ports } from '../guest/ports.ts'
import { policyOf } from './check.ts'
import { storedRecord, vmOf, type VmKey } from './vm-record.ts'

/** Hardware of the guest as recorded on the source. */
export interface SourceHardware {
  readonly fingerprint: string
  /** Digest of the source's launch arguments. */
  readonly launch: string
}

type Launch = Pick<LaunchRecord, 'binary' | 'arguments'>

/**
 * Refuses a migration after which the guest would see other hardware. QEMU detects some
 * differences, late, and none of CPUs. With the source's release the comparison needs no rehearsal.
 * @throws UnsupportedGuest
 */
export async function checkIncomingHardware(
  ports: Pick<Ports, 'client' | 'host'>,
  vmi: VirtualMachineInstance,
  { launch, handed }: { readonly launch: Launch; readonly handed: SourceHardware | undefined },
): Promise<void> {
  const key = vmOf(vmi)
  if (key === undefined || handed === undefined || launchDigest(launch.arguments, ports.host) === handed.launch) return
  const rehearsed = await rehearse(launch)
  if (fingerprintHash(rehearsed) === handed.fingerprint) return
  const what = await changesOf(ports, key, { handed, rehearsed })
  if (what === undefined) return
  const vm = await found(ports.client.get(virtualMachines, key))
  if ((await policyOf(ports, vm)) === 'Allow') return
  throw new UnsupportedGuest(`the guest would see other hardware here while it runs: ${what}`)
}

async function rehearse({ binary, arguments: args }: Launch): Promise<Fingerprint> {
  try {
    return await rehearseFingerprint(binary, args)
  } catch (error) {
    if (error instanceof QemuUnavailable) throw new UnsupportedGuest(error.message, { cause: error })
    throw error
  }
}

interface Difference {
  readonly handed: SourceHardware
  readonly rehearsed: Fingerprint
}

/** Returns the differences apart from hotplugged devices; undefined when there are none. */
async function changesOf(ports: Pick<Ports, 'client'>, key: VmKey, { handed, rehearsed }: Difference): Promise<string | undefined> {
  const stored = await storedRecord(ports, key)
  if (stored === undefined || stored.fingerprint !== handed.fingerprint || stored.version !== rehearsed.version) return undefined
  const changes = changesSince(stored, rehearsed).filter((change) => !isPlugged(change))
  return changes.length === 0 ? undefined : describeChanges(changes)
}
