import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isGateOpen } from '#features/cluster-config/index.ts'
import { invalidValue, when, type ValidationConfig } from '../cause.ts'

/** Validates the encryption of guest memory, and what must be set or unset with it. */
export function validateLaunchSecurity(
  spec: VirtualMachineInstanceSpec,
  base: string,
  { featureGates }: ValidationConfig,
): readonly StatusCause[] {
  const { launchSecurity, firmware, features, devices } = spec.domain
  if (launchSecurity === undefined || spec.architecture === 's390x') return []
  if (spec.architecture !== 'amd64')
    return [invalidValue(`${base}.architecture`, `No launchSecurity support for architecture: ${spec.architecture ?? ''}`)]
  const field = `${base}.domain.launchSecurity`
  const { sev, snp, tdx } = launchSecurity
  const [kind, ...others] = Object.entries({ SEV: sev, SNP: snp, TDX: tdx }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (kind === undefined || others.length > 0) {
    const message = 'One and only one launchSecurity type can be set'
    return [{ reason: 'FieldValueForbidden', message, field }]
  }
  const gate = kind === 'TDX' ? 'WorkloadEncryptionTDX' : 'WorkloadEncryptionSEV'
  if (!isGateOpen(gate, featureGates)) return [invalidValue(field, `${gate} feature gate is not enabled in kubevirt-config`)]
  const efi = firmware?.bootloader?.efi
  return [
    ...when(
      kind === 'TDX' && features?.smm !== undefined && features.smm.enabled !== false,
      invalidValue(field, 'TDX does not work along with SMM'),
    ),
    ...when(efi === undefined, invalidValue(field, `${kind} requires OVMF (UEFI)`)),
    ...when(
      efi !== undefined && kind !== 'TDX' && efi.secureBoot !== false,
      invalidValue(field, `${kind} does not work along with SecureBoot`),
    ),
    ...when(efi?.persistent === true && kind !== 'SEV', invalidValue(field, `${kind} does not work along with Persistent EFI variables`)),
    ...when(
      sev?.attestation !== undefined && spec.startStrategy !== 'Paused',
      invalidValue(field, "SEV attestation requires VMI StartStrategy 'Paused'"),
    ),
    ...(devices.interfaces ?? []).flatMap(({ name, bootOrder }) =>
      when(bootOrder !== undefined, invalidValue(field, `${kind} does not work with bootable NICs: ${name}`)),
    ),
  ]
}
