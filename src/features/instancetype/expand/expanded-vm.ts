import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Expansion } from './expand.ts'

const nameAnnotation = /^kubevirt\.io\/(cluster-)?(instancetype|preference)-name$/

/**
 * The VM that says itself what it would get from its instance type and preference, and names neither. The expansion is one without conflicts. The
 * firmware's uuid stays out as long as it follows from the VM: whoever makes another VM of the result does not clone it.
 */
export function expandedVirtualMachine(vm: VirtualMachine, { vmi, sources }: Expansion): VirtualMachine {
  const { instancetype: _i, preference: _p, ...spec } = vm.spec
  const annotations = Object.fromEntries(Object.entries(vmi.metadata.annotations).filter(([key]) => !nameAnnotation.test(key)))
  const metadata = { ...spec.template.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) }
  const isOwnUuid = sources.get('spec.domain.firmware.uuid') !== 'default'
  const template = {
    ...spec.template,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    spec: isOwnUuid ? vmi.spec : withoutUuid(vmi.spec),
  }
  const expanded: VirtualMachine = { ...vm, spec: { ...spec, template } }
  if (vm.status === undefined) return expanded
  const { instancetypeRef: _ir, preferenceRef: _pr, ...status } = vm.status
  return { ...expanded, status }
}

function withoutUuid(spec: VirtualMachineInstanceSpec): VirtualMachineInstanceSpec {
  const { firmware, ...domain } = spec.domain
  const { uuid: _, ...rest } = firmware ?? {}
  return { ...spec, domain: Object.keys(rest).length === 0 ? domain : { ...domain, firmware: rest } }
}
