import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import {
  conflictCauses,
  expand,
  findIndivisibleSpread,
  findUnmetRequirement,
  requirementCause,
  templateSpecPath,
  validateMatchers,
  warnOfPreferencesWithoutEffect,
  type Expansion,
  type Instancetype,
  type Preference,
  type Verdict,
} from '#features/instancetype/index.ts'
import { validateAnnotations, validateStartable, validateVmiSpec, warnOfAnnotations } from '#features/vmi/index.ts'
import { validateTemplates } from './data-volumes/validate-templates.ts'
import { validateSnapshotLocks } from './spec/snapshot-lock.ts'
import { hardwareFields } from './spec/hardware-fields.ts'
import { runStrategies, runStrategyOf } from './spec/run-strategy.ts'

/**
 * Stored objects that a VM names. A missing one does not refuse the VM: it may be created later.
 */
export interface VirtualMachineContext {
  readonly old: VirtualMachine | undefined
  readonly instancetype: Instancetype | undefined
  readonly preference: Preference | undefined
  readonly config: ClusterConfig
}

/**
 * Returns everything that is wrong with a VM. The hardware is checked as it would be in the end,
 * with instance type, preference and defaults applied.
 */
export function validateVirtualMachine(vm: VirtualMachine, context: VirtualMachineContext): Verdict {
  if (isBeingDeleted(vm)) return { causes: [], warnings: [] }
  const shape = [
    ...validateRunStrategy(vm),
    ...validateSnapshotLocks(vm, context.old),
    ...validateMatchers(vm, context.old),
    ...validateTemplates(vm, context.old),
  ]
  const warnings = vm.spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.']
  if (shape.length > 0) return { causes: shape, warnings }
  const expansion = expand(vm, context.instancetype, context.preference, context.config)
  const causes = validateChangedHardware(vm, context, expansion)
  if (causes.length > 0) return { causes, warnings }
  const { spec } = expansion.vmi
  const ofAnnotations = warnOfAnnotations(vm.spec.template.metadata ?? {}, templateMetadataPath)
  return { causes, warnings: [...warnings, ...warnOfStart(vm, spec), ...ofAnnotations, ...warnOfPreference(vm, context, spec)] }
}

function warnOfStart(vm: VirtualMachine, spec: VirtualMachineInstanceSpec): string[] {
  return mayRun(vm) ? [] : validateStartable(spec, templateSpecPath).map(({ message }) => `${message}; the VM cannot start`)
}

/** Reports whether the system starts the VM without a further request. */
function mayRun(vm: VirtualMachine): boolean {
  return !['Halted', 'Manual'].includes(runStrategyOf(vm))
}

const templateMetadataPath = 'spec.template.metadata'

function warnOfPreference(
  vm: VirtualMachine,
  { instancetype, preference }: VirtualMachineContext,
  spec: VirtualMachineInstanceSpec,
): string[] {
  const isSizeMissing = vm.spec.instancetype !== undefined && instancetype === undefined
  return preference === undefined || isSizeMissing ? [] : warnOfPreferencesWithoutEffect(preference.spec, spec)
}

function validateRunStrategy(vm: VirtualMachine): StatusCause[] {
  const { running, runStrategy } = vm.spec
  if (running !== undefined && runStrategy !== undefined) {
    const message = 'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead'
    return [{ reason: 'FieldValueInvalid', message, field: 'spec.running' }]
  }
  if (running === undefined && runStrategy === undefined) {
    return [{ reason: 'FieldValueInvalid', message: 'One of Running or RunStrategy must be specified', field: 'spec.running' }]
  }
  if (runStrategy === undefined || runStrategies.includes(runStrategy)) return []
  return [{ reason: 'FieldValueInvalid', message: `Invalid RunStrategy (${String(runStrategy)})`, field: 'spec.runStrategy' }]
}

/**
 * Validates the hardware, unless the VM has run with it before: a request that leaves it as it is,
 * such as a start, is not refused for rules that came with a later release.
 */
function validateChangedHardware(vm: VirtualMachine, context: VirtualMachineContext, expansion: Expansion): StatusCause[] {
  const { old } = context
  const isSame = old !== undefined && hardwareFields.every((field) => semanticEqual(vm.spec[field], old.spec[field]))
  return isSame && old.status?.steadyvm?.hardware !== undefined ? [] : validateHardware(vm, context, expansion)
}

function validateHardware(
  vm: VirtualMachine,
  { instancetype, preference, config }: VirtualMachineContext,
  { vmi, conflicts }: Expansion,
): StatusCause[] {
  const spread = instancetype === undefined ? undefined : findIndivisibleSpread(instancetype.spec, preference?.spec)
  if (spread !== undefined) return [spread]
  if (conflicts.length > 0) return conflictCauses(conflicts)
  // Resource requirements cannot be checked while the instance type that provides them is missing.
  const isJudgeable = vm.spec.instancetype === undefined || instancetype !== undefined
  if (isJudgeable && preference !== undefined) {
    const unmet = findUnmetRequirement({ spec: vmi.spec, instancetype: instancetype?.spec }, preference.spec)
    if (unmet !== undefined) return [requirementCause(unmet)]
  }
  const causes = [
    ...validateVmiSpec(vmi.spec, templateSpecPath, config),
    // A VM that is not to run yet may be completed, or written for other nodes: a warning names
    // what it lacks.
    ...(mayRun(vm) ? validateStartable(vmi.spec, templateSpecPath) : []),
    ...validateAnnotations(vm.spec.template.metadata ?? {}, templateMetadataPath, config),
  ]
  return isJudgeable ? causes : causes.filter((cause) => cause.reason !== 'FieldValueRequired')
}
