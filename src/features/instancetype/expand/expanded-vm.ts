import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { Expansion } from './expand.ts'

/** Annotations that say by which names a guest was sized; an expanded VM has no such names any more. */
const nameAnnotation = /^kubevirt\.io\/(cluster-)?(instancetype|preference)-name$/

/** The VM that says itself what its instance type and preference have said so far, and names neither. Shares what it can with the arguments. */
export function expandedVirtualMachine(vm: VirtualMachine, { vmi }: Pick<Expansion, 'vmi'>): VirtualMachine {
  const { instancetype: _, preference: __, ...spec } = vm.spec
  const { instancetypeRef: ___, preferenceRef: ____, ...status } = vm.status ?? {}
  const annotations = Object.fromEntries(Object.entries(vmi.metadata.annotations).filter(([key]) => !nameAnnotation.test(key)))
  const { metadata } = spec.template
  const hasAnnotations = metadata?.annotations !== undefined || Object.keys(annotations).length > 0
  return {
    ...vm,
    spec: {
      ...spec,
      template: { ...spec.template, ...(hasAnnotations ? { metadata: { ...metadata, annotations } } : {}), spec: vmi.spec },
    },
    ...(vm.status === undefined ? {} : { status }),
  }
}
