import type { FeatureHyperv } from '#api/kubevirt/v1/domain/features.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

type Enlightenment = Exclude<keyof FeatureHyperv, 'spinlocks' | 'vendorid'>

/**
 * Which enlightenment rests on which: QEMU does not start a guest that has one without the other.
 * What is rested on comes later.
 */
export const hypervRequirements: readonly (readonly [Enlightenment, Enlightenment])[] = [
  ['evmcs', 'vapic'],
  ['ipi', 'vpindex'],
  ['tlbflush', 'vpindex'],
  ['synictimer', 'synic'],
  ['synic', 'vpindex'],
]

/**
 * Switches on what the enlightenments of the guest rest on. What somebody has switched off stays
 * off, for validation to name.
 */
export function completeHypervInto(spec: VirtualMachineInstanceSpec): void {
  const hyperv = spec.domain.features?.hyperv
  if (hyperv === undefined) return
  for (const [feature, required] of hypervRequirements) if (isSwitchedOn(hyperv[feature])) hyperv[required] ??= { enabled: true }
  if (isSwitchedOn(hyperv.evmcs)) requireNestingInto(spec)
}

/** Whether an enlightenment is there: it is, unless it is switched off. */
export function isSwitchedOn(feature: { readonly enabled?: boolean } | undefined): boolean {
  return feature !== undefined && feature.enabled !== false
}

/** A guest that runs guests faster must be able to run any. */
function requireNestingInto({ domain }: VirtualMachineInstanceSpec): void {
  const features = domain.cpu?.features ?? []
  if (!features.some(({ name }) => name === 'vmx'))
    domain.cpu = { ...domain.cpu, features: [...features, { name: 'vmx', policy: 'require' }] }
}
