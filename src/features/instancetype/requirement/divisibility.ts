import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstancetypeSpec } from '#api/instancetype/v1beta1/virtual-machine-instancetype.ts'
import type { VirtualMachinePreferenceSpec } from '#api/instancetype/v1beta1/virtual-machine-preference.ts'
import { preferredTopology, spreadOptionsOf } from '../cpu-topology.ts'

/**
 * Returns why the instance type's CPUs do not divide by the preferred spread; undefined when they
 * do.
 */
export function findIndivisibleSpread(
  instancetype: VirtualMachineInstancetypeSpec,
  preference: VirtualMachinePreferenceSpec | undefined,
): StatusCause | undefined {
  if (preferredTopology(preference) !== 'spread') return undefined
  const problem = describe(instancetype.cpu.guest, spreadOptionsOf(preference))
  if (problem === undefined) return undefined
  return {
    reason: 'FieldValueInvalid',
    message: `${instancetype.cpu.guest} vCPUs provided by the instance type are not divisible by the ${problem}`,
    field: 'instancetype.spec.cpu.guest',
  }
}

const ratioName = 'Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio'
const threadsPerCore = 2

function describe(vcpus: number, { across, ratio }: ReturnType<typeof spreadOptionsOf>): string | undefined {
  switch (across) {
    case 'CoresThreads':
      return vcpus % threadsPerCore === 0 ? undefined : `number of threads per core ${threadsPerCore}`
    case 'SocketsCoresThreads':
      if (vcpus % threadsPerCore === 0 && (vcpus / threadsPerCore) % ratio === 0) return undefined
      return `number of threads per core ${threadsPerCore} and ${ratioName} of ${ratio}`
    case 'SocketsCores':
    default:
      return vcpus % ratio === 0 ? undefined : `${ratioName} of ${ratio} provided by the preference`
  }
}
