import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Expansion } from './expand.ts'

const nameAnnotation = /^kubevirt\.io\/(cluster-)?(instancetype|preference)-name$/

/**
 * Returns a VM with the hardware of its instance type and preference written into its spec, and
 * without matchers. Takes an expansion without conflicts. Derived firmware UUID and serial are left
 * out, so that a copy of the result does not share them.
 */
export function expandedVirtualMachine(vm: VirtualMachine, { vmi, sources }: Expansion): VirtualMachine {
  const { instancetype: _i, preference: _p, ...spec } = vm.spec
  const annotations = Object.fromEntries(Object.entries(vmi.metadata.annotations).filter(([key]) => !nameAnnotation.test(key)))
  const metadata = { ...spec.template.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) }
  const template = {
    ...spec.template,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    spec: withoutDerivedIdentity(vmi.spec, sources),
  }
  const expanded: VirtualMachine = { ...vm, spec: { ...spec, template } }
  if (vm.status === undefined) return expanded
  const { instancetypeRef: _ir, preferenceRef: _pr, ...status } = vm.status
  return { ...expanded, status }
}

function withoutDerivedIdentity(spec: VirtualMachineInstanceSpec, sources: Expansion['sources']): VirtualMachineInstanceSpec {
  const { firmware, ...domain } = spec.domain
  const isOwn = ([key]: readonly [string, unknown]): boolean =>
    !['uuid', 'serial'].includes(key) || sources.get(`spec.domain.firmware.${key}`) !== 'default'
  const own = Object.fromEntries(Object.entries(firmware ?? {}).filter(isOwn))
  return { ...spec, domain: Object.keys(own).length === 0 ? domain : { ...domain, firmware: own } }
}
