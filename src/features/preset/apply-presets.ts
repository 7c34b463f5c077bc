import type { VirtualMachineInstancePreset } from '#api/kubevirt/v1/virtual-machine-instance-preset.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { SelectorError } from '#apimachinery/selectors/selector-error.ts'
import { agree, aspectsOf } from './aspects.ts'

/** A VMI with this annotation, `true`, gets nothing from presets. */
const exclusionAnnotation = 'virtualmachineinstancepresets.admission.kubevirt.io/exclude'

/** A VMI with its presets applied. */
export interface Applied {
  /** The same object when no preset applies. */
  readonly vmi: VirtualMachineInstance
  /** Fields of presets that were not applied because the VMI sets them. */
  readonly warnings: readonly string[]
}

/** Presets for the same VMI contradict each other. */
export class PresetsConflict extends Error {
  override readonly name = 'PresetsConflict'
}

/**
 * Applies the presets of its namespace to a VMI by its labels, to fields that it does not set. The
 * VMI of a VM is complete, so that presets apply only to fields that the VM, its instance type, its
 * preference and the cluster leave unset. Pure. @throws PresetsConflict
 */
export function applyPresets(vmi: VirtualMachineInstance, all: readonly VirtualMachineInstancePreset[]): Applied {
  if (vmi.metadata.annotations?.[exclusionAnnotation] === 'true') return { vmi, warnings: [] }
  const presets = all.filter((preset) => selects(preset, vmi)).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  if (presets.length === 0) return { vmi, warnings: [] }
  assertAgreement(presets)
  const domain = structuredClone(vmi.spec.domain ?? { devices: {} })
  const annotations = { ...vmi.metadata.annotations }
  const warnings: string[] = []
  for (const preset of presets) {
    let applied = false
    for (const aspect of aspectsOf(domainOf(preset))) {
      const [own, given] = [aspect.read(domain), aspect.read(domainOf(preset))]
      if (own === undefined) aspect.writeInto(domain, structuredClone(given))
      if (own === undefined || agree(own, given)) applied = true
      else
        warnings.push(`VirtualMachineInstancePreset "${nameOf(preset)}" does not apply to spec.domain.${aspect.path}, which is set already`)
    }
    if (applied) annotations[`virtualmachinepreset.kubevirt.io/${nameOf(preset)}`] = 'kubevirt.io/v1'
  }
  return { vmi: { ...vmi, metadata: { ...vmi.metadata, annotations }, spec: { ...vmi.spec, domain } }, warnings }
}

/** Admission refuses empty selectors; an older object with one selects nothing. */
function selects({ spec, metadata }: VirtualMachineInstancePreset, vmi: VirtualMachineInstance): boolean {
  if (spec === undefined || metadata.namespace !== vmi.metadata.namespace) return false
  try {
    return labelSelectorFromObject(spec.selector ?? {}).matches(vmi.metadata.labels ?? {})
  } catch (error) {
    if (error instanceof SelectorError) return false
    throw error
  }
}

/** The precedence of two presets is undefined. */
function assertAgreement(presets: readonly VirtualMachineInstancePreset[]): void {
  const conflicts = presets.flatMap((preset, index) =>
    presets.slice(0, index).flatMap((earlier) => {
      const paths = aspectsOf(domainOf(preset)).filter((aspect) => {
        const other = aspect.read(domainOf(earlier))
        return other !== undefined && !agree(aspect.read(domainOf(preset)), other)
      })
      if (paths.length === 0) return []
      return [`presets '${nameOf(preset)}' and '${nameOf(earlier)}' conflict: ${paths.map(({ path }) => `spec.domain.${path}`).join(', ')}`]
    }),
  )
  if (conflicts.length > 0) throw new PresetsConflict(`VirtualMachinePresets cannot be applied due to conflicts: ${conflicts.join(', ')}`)
}

function domainOf({ spec }: VirtualMachineInstancePreset) {
  return spec?.domain ?? { devices: {} }
}

function nameOf({ metadata }: VirtualMachineInstancePreset): string {
  return metadata.name ?? ''
}
