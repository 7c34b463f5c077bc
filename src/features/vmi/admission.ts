import type { StatusCause } from '#apimachinery/errors.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { completeVmiSpecInto, type ClusterConfig } from '#features/cluster-config/index.ts'
import { names } from './names.ts'
import { enterPhase } from './status/phase.ts'
import { validateVmiLabels } from './update-admission.ts'
import type { ValidationConfig } from './validate/cause.ts'
import { validateClosedGates, validateNodeAccess } from './validate/closed-gates.ts'
import { validateArm64 } from './validate/compute/arm64.ts'
import { validateCpu } from './validate/compute/cpu.ts'
import { validateDevices } from './validate/compute/devices.ts'
import { validateFirmware } from './validate/compute/firmware.ts'
import { validateHyperv } from './validate/compute/hyperv.ts'
import { validateIoThreads } from './validate/compute/io-threads.ts'
import { validateLaunchSecurity } from './validate/compute/launch-security.ts'
import { validateMachine } from './validate/compute/machine.ts'
import { validateMemory } from './validate/compute/memory.ts'
import { validateAnnotations, warnOfAnnotations } from './validate/metadata.ts'
import { validateStartable } from './validate/compute/startable.ts'
import { validateResourceClaims } from './validate/compute/resource-claims.ts'
import { validateNetworks } from './validate/network/networks.ts'
import { validateAccessCredentials } from './validate/pod/access-credentials.ts'
import { validateDns } from './validate/pod/dns.ts'
import { validateEnumerations } from './validate/pod/enumerations.ts'
import { validateLifecycle } from './validate/pod/lifecycle.ts'
import { validateNames } from './validate/pod/names.ts'
import { validateProbes } from './validate/pod/probes.ts'
import { validateScheduling } from './validate/pod/scheduling.ts'
import { validateDisks } from './validate/storage/disks.ts'
import { validateVolumes } from './validate/storage/volumes.ts'

/** A group of rules for the spec of a VMI. `base` is its path. */
type Rule = (spec: VirtualMachineInstanceSpec, base: string, config: ValidationConfig) => readonly StatusCause[]

const rules: readonly Rule[] = [
  validateEnumerations,
  validateNames,
  validateMemory,
  validateMachine,
  validateFirmware,
  validateCpu,
  validateLifecycle,
  validateScheduling,
  validateNetworks,
  validateDisks,
  validateDevices,
  validateResourceClaims,
  validateIoThreads,
  validateProbes,
  validateVolumes,
  validateAccessCredentials,
  validateDns,
  validateLaunchSecurity,
  (spec, base, { featureGates }) => validateClosedGates(spec, base, featureGates),
  validateHyperv,
  validateArm64,
]

/**
 * Returns everything that is wrong with a VMI's spec, or not allowed in this cluster. `base` is the
 * path of the spec: `spec` or `spec.template.spec`.
 */
export function validateVmiSpec(spec: VirtualMachineInstanceSpec, base: string, config: ValidationConfig): StatusCause[] {
  return rules.flatMap((rule) => rule(spec, base, config))
}

/** What admission says about a new VMI of a user. */
export interface VmiVerdict {
  readonly causes: readonly StatusCause[]
  readonly warnings: readonly string[]
}

/** Who creates a VMI. */
export interface VmiCreator {
  /** True for the VM controller, which alone may set reserved labels. */
  readonly isComponent: boolean
  /** True if the VM has had a guest before. */
  readonly hasRun: boolean
}

/**
 * Admits a new VMI with its defaults: its spec, annotations and labels. A VM that has run before
 * starts again whatever rules came with a later release; only its access to the node is checked.
 */
export function admitVmi(
  vmi: VirtualMachineInstance,
  config: ValidationConfig,
  { isComponent, hasRun }: VmiCreator = { isComponent: false, hasRun: false },
): VmiVerdict {
  const { spec, metadata } = vmi
  if (isComponent && hasRun) return { causes: validateNodeAccess(spec, 'spec', config.featureGates), warnings: [] }
  const causes = [
    ...validateVmiSpec(spec, 'spec', config),
    ...validateStartable(spec, 'spec'),
    ...(isComponent ? [] : validateVmiLabels(vmi)),
    ...validateAnnotations(metadata, 'metadata', config),
  ]
  return { causes, warnings: warnOfAnnotations(metadata, 'metadata') }
}

/** One operation of admission's patch. */
export interface Replacement {
  readonly op: 'add'
  readonly path: string
  readonly value: unknown
}

/**
 * Returns the patch that completes a new VMI: defaults, finalizer and first phase. Empty for a VMI
 * of the VM controller, which creates it complete. `now` is RFC 3339.
 */
export function completeVmi(vmi: VirtualMachineInstance, config: ClusterConfig, now: string): Replacement[] {
  const spec = structuredClone(vmi.spec)
  completeVmiSpecInto(spec, config)
  const finalizers = vmi.metadata.finalizers ?? []
  const changes: Replacement[] = []
  if (!deepEqual(spec, vmi.spec)) changes.push({ op: 'add', path: '/spec', value: spec })
  if (!finalizers.includes(names.finalizer))
    changes.push({ op: 'add', path: '/metadata/finalizers', value: [...finalizers, names.finalizer] })
  if ((vmi.status?.phase ?? '') === '') {
    changes.push({ op: 'add', path: '/status', value: { ...vmi.status, ...enterPhase(vmi.status, 'Pending', now) } })
  }
  return changes
}
