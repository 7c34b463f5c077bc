import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import { deprecatedTopologyNames, spreadOptionsOf, topologyNameOf } from './apply/cpu-topology.ts'

/** What admission says of an object: causes refuse it, warnings are shown. */
export interface Verdict {
  readonly causes: readonly StatusCause[]
  readonly warnings: readonly string[]
}

/** Validates an instance type of either scope. */
export function validateInstancetype(spec: VirtualMachineInstancetypeSpec): Verdict {
  const causes = [...validateGuestCpus(spec), ...validateGuestMemory(spec), ...validateOvercommit(spec)]
  const deprecated = 'launchSecurity is deprecated and will be removed in a future release. Use preference instead.'
  return { causes, warnings: spec.launchSecurity === undefined ? [] : [deprecated] }
}

/** KubeVirt accepts a count of 0 and below here, and its guests then never start. */
function validateGuestCpus(spec: VirtualMachineInstancetypeSpec): StatusCause[] {
  const { guest } = spec.cpu
  if (Number.isInteger(guest) && guest >= 1) return []
  return [invalid('spec.cpu.guest', `spec.cpu.guest '${guest}': must be greater than or equal to 1.`)]
}

function validateGuestMemory(spec: VirtualMachineInstancetypeSpec): StatusCause[] {
  const { guest } = spec.memory
  if (isQuantity(guest) && parseQuantity(guest).nanos > 0n) return []
  return [invalid('spec.memory.guest', `spec.memory.guest '${guest}': must be greater than 0.`)]
}

function validateOvercommit(spec: VirtualMachineInstancetypeSpec): StatusCause[] {
  const field = 'spec.memory.overcommitPercent'
  const percent = spec.memory.overcommitPercent ?? 0
  const causes: StatusCause[] = []
  if (percent < 0 || percent > 100) causes.push(invalid(field, `${field} '${percent}': must be in range between 0 and 100.`))
  if (percent !== 0 && spec.memory.hugepages !== undefined) {
    causes.push(invalid(field, `${field} and spec.memory.hugepages should not be requested together.`))
  }
  return causes
}

/** Validates a preference of either scope. */
export function validatePreference(spec: VirtualMachinePreferenceSpec): Verdict {
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

/** Validates the shape of both matchers, and that a change of name does not keep the revision of the old one. */
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

function invalid(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}
