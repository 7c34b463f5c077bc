import { found } from '#client/found.ts'
import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { chooseKubeVirt, kubeVirtKey } from '#features/cluster-config/index.ts'
import {
  changesSince,
  decide,
  hardwareNames,
  hardwarePolicyOf,
  isAccepted,
  launchDigest,
  mustRehearse,
  reasonOf,
  type HardwarePolicy,
  type Verdict,
} from '#features/hardware-record/index.ts'
import type { LaunchRecord } from '#features/launcher/index.ts'
import { fingerprintHash, fingerprintVersion, QemuUnavailable, rehearseFingerprint, type Fingerprint } from '#qemu/index.ts'
import type { Ports } from '../guest/ports.ts'
import { originOf } from './origin.ts'
import { storedRecord, vmOf } from './vm-record.ts'

const same: Verdict = { kind: 'same' }

/**
 * Compares the hardware of this launch with the VM's record and returns the verdict of its policy.
 * A digest of the launch decides in most cases; only otherwise is the hardware rehearsed in QEMU.
 */
export async function checkHardware(ports: Ports, vmi: VirtualMachineInstance, record: LaunchRecord): Promise<Verdict> {
  const key = vmOf(vmi)
  if (key === undefined) return same
  const vm = await found(ports.client.get(virtualMachines, key))
  const known = vm?.metadata.uid === key.uid ? vm.status?.steadyvm?.hardware : undefined
  const launch = launchDigest(record.arguments, ports.host)
  if (known === undefined || !mustRehearse({ known, launch, version: fingerprintVersion })) return same
  const rehearsed = await rehearse(record)
  if ('fingerprint' in rehearsed && fingerprintHash(rehearsed.fingerprint) === known.fingerprint) return same
  const policy = await policyOf(ports, vm)
  if ('failure' in rehearsed) return unknown(ports, vmi, policy, rehearsed.failure)
  const stored = await storedRecord(ports, key)
  return decide({
    before: known.fingerprint,
    fingerprint: fingerprintHash(rehearsed.fingerprint),
    changes: stored === undefined ? [] : changesSince(stored, rehearsed.fingerprint),
    reason: reasonOf(stored?.history[0], originOf(vmi, { qemu: ports.host.version, node: ports.nodeName })),
    policy,
    isAccepted: isAccepted(vm, fingerprintHash(rehearsed.fingerprint)),
  })
}

async function rehearse({ binary, arguments: args }: LaunchRecord): Promise<{ fingerprint: Fingerprint } | { failure: string }> {
  try {
    return { fingerprint: await rehearseFingerprint(binary, args) }
  } catch (error) {
    if (!(error instanceof QemuUnavailable)) throw error
    return { failure: error.message }
  }
}

/**
 * Verdict when the hardware cannot be determined. With policy `Refuse` the start waits; otherwise
 * QEMU itself reports why it does not start.
 */
function unknown({ log }: Ports, { metadata }: VirtualMachineInstance, policy: HardwarePolicy, failure: string): Verdict {
  log.warn({ namespace: metadata.namespace, name: metadata.name, failure }, 'Whether the guest sees other hardware is not known')
  if (policy !== 'Refuse') return same
  return {
    kind: 'refuse',
    reason: hardwareNames.refusedReason,
    message: `whether the guest would see other hardware is not known: ${failure}`,
  }
}

/** Reads the policy in force. Called rarely, so it is not cached. */
export async function policyOf({ client }: Pick<Ports, 'client'>, vm: VirtualMachine | undefined): Promise<HardwarePolicy> {
  const { items } = await client.list(kubeVirts, { namespace: kubeVirtKey.namespace })
  return hardwarePolicyOf(vm, chooseKubeVirt(items))
}
