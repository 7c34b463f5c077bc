import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { ioThreadsPolicies } from '#features/cluster-config/index.ts'
import { invalidValue, when } from '../cause.ts'

/** Validates the policy, as an unknown one would act as another, and the size of its pool. */
export function validateIoThreads({ domain }: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { ioThreadsPolicy: policy, ioThreads } = domain
  if (policy === undefined) return []
  return [
    ...when(!ioThreadsPolicies.includes(policy), invalidValue(`${base}.domain.ioThreadsPolicy`, `Invalid IOThreadsPolicy (${policy})`)),
    ...when(
      policy === 'supplementalPool' && (ioThreads?.supplementalPoolThreadCount ?? 0) < 1,
      invalidValue(
        `${base}.domain.ioThreads.supplementalPoolThreadCount`,
        'the number of iothreads needs to be set and positive for the dedicated policy',
      ),
    ),
  ]
}
