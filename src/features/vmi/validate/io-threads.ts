import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { ioThreadsPolicies } from '#features/cluster-config/index.ts'
import { invalidValue } from './cause.ts'

/** Validates the policy: an unknown one would act as another. */
export function validateIoThreads({ domain }: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const { ioThreadsPolicy: policy } = domain
  if (policy === undefined || ioThreadsPolicies.includes(policy)) return []
  return [invalidValue(`${base}.domain.ioThreadsPolicy`, `Invalid IOThreadsPolicy (${policy})`)]
}
