import type { StatusCause } from '#apimachinery/errors.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { completeVmiSpecInto, type ClusterConfig } from '#features/cluster-config/index.ts'
import { names } from './names.ts'
import { enterPhase } from './status/phase.ts'
import { validateBoot } from './validate/boot.ts'
import { validateClosedGates } from './validate/closed-gates.ts'
import { validateDevices } from './validate/devices.ts'
import { validateDisks } from './validate/disks.ts'
import { validateNetworks } from './validate/networks.ts'
import { validateHyperv } from './validate/hyperv.ts'
import { validateIoThreads } from './validate/io-threads.ts'
import { validateMemoryPresent, validateResources } from './validate/resources.ts'
import { validateVolumes } from './validate/volumes.ts'

/**
 * Returns everything that is wrong with a VMI's spec, or not allowed in this cluster. `base` is the
 * path of the spec: `spec` or `spec.template.spec`.
 */
export function validateVmiSpec(
  spec: VirtualMachineInstanceSpec,
  base: string,
  config: Pick<ClusterConfig, 'featureGates'>,
): StatusCause[] {
  return [
    ...validateMemoryPresent(spec, base),
    ...validateResources(spec, base),
    ...validateVolumes(spec, base, config.featureGates),
    ...validateDisks(spec, base),
    ...validateDevices(spec, base),
    ...validateNetworks(spec, base, config.featureGates),
    ...validateBoot(spec, base),
    ...validateHyperv(spec, base),
    ...validateIoThreads(spec, base),
    ...validateClosedGates(spec, base, config.featureGates),
  ]
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
