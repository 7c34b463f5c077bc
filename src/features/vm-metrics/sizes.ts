import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { objectInSource, sizedDomain, sizeSourceInCache, type Lookup, type SizedDomain } from '#features/instancetype/index.ts'

/**
 * Returns how large the guest of a VM is, with its instance type as it is in the cache. Not
 * remembered: 10,000 revisions are decoded in 0.2 s, and their contents would stay in memory.
 */
export function sizeInCache(lookup: Lookup, vm: VirtualMachine): SizedDomain {
  const { domain } = vm.spec.template.spec
  if (vm.spec.instancetype == null) return sizedDomain(domain, undefined, undefined)
  const [instancetype, preference] = [sizeSourceInCache(lookup, vm, 'instancetype'), sizeSourceInCache(lookup, vm, 'preference')]
  return sizedDomain(domain, objectInSource(instancetype, 'instancetype'), objectInSource(preference, 'preference'))
}
