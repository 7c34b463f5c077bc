import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isQuantity } from '#apimachinery/quantity.ts'
import { ioThreadsPolicies, mostCpus } from '#features/cluster-config/index.ts'
import { deprecatedTopologyNames, spreadOptionsOf, topologyNameOf } from '../cpu-topology.ts'
import { invalid, outOfRange } from './cause.ts'
import { validateCount } from './counts.ts'
import { validateGuestAnnotations, validateNodeSelector, validateSubdomain } from './guest-metadata.ts'
import { isZeroQuantity, validateMemory } from './memory.ts'

/** Result of a validation: causes reject the object, warnings are returned with it. */
export interface Verdict {
  readonly causes: readonly StatusCause[]
  readonly warnings: readonly string[]
}

/**
 * Validates an instance type of either scope. Stricter than KubeVirt, which accepts types whose
 * guests can never start.
 */
export function validateInstancetype(spec: VirtualMachineInstancetypeSpec): Verdict {
  const causes = [
    ...validateCount('spec.cpu.guest', spec.cpu.guest, 0, mostCpus),
    ...validateCount('spec.cpu.maxSockets', spec.cpu.maxSockets, 0, mostCpus),
    ...validateMemory(spec.memory),
    ...validateCount('spec.ioThreads.supplementalPoolThreadCount', spec.ioThreads?.supplementalPoolThreadCount),
    ...validateIoThreadsPolicy(spec),
    ...validateNodeSelector(spec.nodeSelector),
    ...validateGuestAnnotations(spec.annotations),
  ]
  return { causes, warnings: warnOfType(spec) }
}

function validateIoThreadsPolicy({ ioThreadsPolicy: policy }: VirtualMachineInstancetypeSpec): StatusCause[] {
  if (policy === undefined || ioThreadsPolicies.includes(policy)) return []
  return [outOfRange('spec.ioThreadsPolicy', policy, `must be one of ${ioThreadsPolicies.join(', ')}`)]
}

function warnOfType({ launchSecurity, cpu, memory }: VirtualMachineInstancetypeSpec): string[] {
  const warnings: string[] = []
  if (cpu.guest === 0) warnings.push("spec.cpu.guest '0': guests get 1 CPU")
  if (isZeroQuantity(memory.guest)) warnings.push(`spec.memory.guest '${memory.guest}': guests without memory cannot start`)
  if (launchSecurity !== undefined) {
    warnings.push('launchSecurity is deprecated and will be removed in a future release. Use preference instead.')
  }
  if (cpu.maxSockets && cpu.maxSockets < cpu.guest) {
    const least = `spec.cpu.maxSockets '${cpu.maxSockets}' is less than spec.cpu.guest '${cpu.guest}'`
    warnings.push(`${least}: guests that get all their CPUs as sockets, as they do by default, will be refused`)
  }
  return warnings
}

/** Validates a preference of either scope. */
export function validatePreference(spec: VirtualMachinePreferenceSpec): Verdict {
  const topology = validateTopology(spec)
  const causes = [
    ...topology.causes,
    ...validateCount('spec.cpu.spreadOptions.ratio', spec.cpu?.spreadOptions?.ratio),
    ...validateCount('spec.preferSpreadSocketToCoreRatio', spec.preferSpreadSocketToCoreRatio),
    ...validateCount('spec.requirements.cpu.guest', spec.requirements?.cpu?.guest),
    ...validateRequiredMemory(spec),
    ...validateCount(
      'spec.preferredTerminationGracePeriodSeconds',
      spec.preferredTerminationGracePeriodSeconds,
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    ...validateSubdomain(spec.preferredSubdomain),
    ...validateGuestAnnotations(spec.annotations),
  ]
  return { causes, warnings: [...topology.warnings, ...warnOfContradictions(spec)] }
}

function validateTopology(spec: VirtualMachinePreferenceSpec): Verdict {
  const topology = spec.cpu?.preferredCPUTopology
  if (topology === undefined) return { causes: [], warnings: [] }
  const name = topologyNameOf(topology)
  if (name === undefined) {
    return { causes: [invalid('spec.cpu.preferredCPUTopology', `unknown preferredCPUTopology ${topology}`)], warnings: [] }
  }
  const replacement = deprecatedTopologyNames.get(topology)
  const deprecated = `PreferredCPUTopology ${topology} is deprecated for removal in a future release, please use ${replacement} instead`
  return { causes: name === 'spread' ? validateSpread(spec) : [], warnings: replacement === undefined ? [] : [deprecated] }
}

/** A zero requirement is valid. */
function validateRequiredMemory({ requirements }: VirtualMachinePreferenceSpec): StatusCause[] {
  const field = 'spec.requirements.memory.guest'
  const amount = requirements?.memory?.guest
  return amount === undefined || isQuantity(amount) ? [] : [outOfRange(field, amount, 'must be a quantity')]
}

/** Warns of preferences that are ignored because another one wins. */
function warnOfContradictions({ firmware, clock }: VirtualMachinePreferenceSpec): string[] {
  const warnings: string[] = []
  if (firmware?.preferredUseBios === true && (firmware.preferredEfi !== undefined || firmware.preferredUseEfi === true)) {
    warnings.push('spec.firmware.preferredUseBios and a preference for EFI contradict each other: guests will boot by BIOS')
  }
  const offset = clock?.preferredClockOffset
  if (offset?.utc !== undefined && offset.timezone !== undefined) {
    warnings.push('spec.clock.preferredClockOffset.utc and timezone contradict each other: a clock shows one time')
  }
  return warnings
}

function validateSpread(spec: VirtualMachinePreferenceSpec): StatusCause[] {
  const { across, ratio } = spreadOptionsOf(spec)
  if (!['SocketsCores', 'SocketsCoresThreads', 'CoresThreads'].includes(across)) {
    return [invalid('spec.cpu.spreadOptions.across', `across ${across} is not supported`)]
  }
  if (across === 'CoresThreads' && ratio !== 2) {
    const message = 'only a ratio of 2 (1 core 2 threads) is allowed when spreading vCPUs over cores and threads'
    return [invalid('spec.cpu.spreadOptions.ratio', message)]
  }
  return []
}

/** Validates both matchers, and that a new name does not keep the revision of the old object. */
export function validateMatchers(vm: VirtualMachine, old: VirtualMachine | undefined): StatusCause[] {
  return (['instancetype', 'preference'] as const).flatMap((field) => {
    const matcher = vm.spec[field]
    if (matcher === undefined) return []
    const label = field === 'instancetype' ? 'InstancetypeMatcher' : 'PreferenceMatcher'
    return [...validateSwitch(field, matcher, old?.spec[field]), ...validateMatcherShape(`spec.${field}`, label, matcher)]
  })
}

type Matcher = NonNullable<VirtualMachine['spec']['instancetype']> | NonNullable<VirtualMachine['spec']['preference']>

function validateSwitch(field: string, matcher: Matcher, old: Matcher | undefined): StatusCause[] {
  const revisionName = matcher.revisionName ?? ''
  if (old === undefined || old.name === matcher.name || revisionName === '' || old.revisionName !== revisionName) return []
  return [invalid(`spec.${field}.revisionName`, 'the Matcher Name has been updated without updating the RevisionName')]
}

function validateMatcherShape(path: string, label: string, matcher: Matcher): StatusCause[] {
  const [name, inferred] = [matcher.name ?? '', matcher.inferFromVolume ?? '']
  if (name === '' && inferred === '') {
    return [{ reason: 'FieldValueNotFound', message: `Either Name or InferFromVolume should be provided within the ${label}`, field: path }]
  }
  const causes: StatusCause[] = []
  if (inferred !== '' && name !== '') causes.push(alreadySet(path, 'Name'))
  if (inferred !== '' && (matcher.kind ?? '') !== '') causes.push(alreadySet(path, 'Kind'))
  const policy = matcher.inferFromVolumeFailurePolicy
  if (policy !== undefined && policy !== 'Reject' && policy !== 'Ignore') {
    causes.push(invalid(`${path}.inferFromVolumeFailurePolicy`, `Invalid value '${String(policy)}' for InferFromVolumeFailurePolicy`))
  }
  return causes
}

function alreadySet(path: string, what: 'Name' | 'Kind'): StatusCause {
  const message = `${what} already set, should be cleared before setting inferFromVolume`
  return { reason: 'FieldValueNotSupported', message, field: `${path}.${what.toLowerCase()}` }
}
