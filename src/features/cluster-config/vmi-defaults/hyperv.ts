import type { FeatureHyperv } from '#api/kubevirt/v1/domain/features.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'

type Enlightenment = Exclude<keyof FeatureHyperv, 'spinlocks' | 'vendorid'>

/**
 * Dependencies between enlightenments: QEMU does not start a guest with one but without the other.
 * Dependencies come later.
 */
export const hypervRequirements: readonly (readonly [Enlightenment, Enlightenment])[] = [
  ['evmcs', 'vapic'],
  ['ipi', 'vpindex'],
  ['tlbflush', 'vpindex'],
  ['synictimer', 'synic'],
  ['synic', 'vpindex'],
]

/**
 * Enables the dependencies of the guest's enlightenments. One that is disabled explicitly stays
 * disabled, and validation names it.
 */
export function completeHypervInto(spec: VirtualMachineInstanceSpec): void {
  const hyperv = spec.domain.features?.hyperv
  if (hyperv === undefined) return
  for (const [feature, required] of hypervRequirements) if (isSwitchedOn(hyperv[feature])) hyperv[required] ??= { enabled: true }
  if (isSwitchedOn(hyperv.evmcs)) requireNestingInto(spec)
}

/** Reports whether an enlightenment is present and not disabled. */
export function isSwitchedOn(feature: { readonly enabled?: boolean } | undefined): boolean {
  return feature !== undefined && feature.enabled !== false
}

/** A guest that runs guests faster must be able to run any. */
function requireNestingInto({ domain }: VirtualMachineInstanceSpec): void {
  const features = domain.cpu?.features ?? []
  if (!features.some(({ name }) => name === 'vmx'))
    domain.cpu = { ...domain.cpu, features: [...features, { name: 'vmx', policy: 'require' }] }
}
