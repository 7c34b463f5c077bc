import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { DataVolumeTemplateSpec } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { validateDataVolumeSpec } from '#features/data-volume/index.ts'

/**
 * Validates the DataVolume templates of a VM. Those that were accepted before are not judged again,
 * by rules of a later release. Pure.
 */
export function validateTemplates(vm: VirtualMachine, old: VirtualMachine | undefined): StatusCause[] {
  const { dataVolumeTemplates: templates = [] } = vm.spec
  if (old !== undefined && semanticEqual(templates, old.spec.dataVolumeTemplates ?? [])) return []
  return templates.flatMap((template, index) => validateTemplate(vm, template, `spec.dataVolumeTemplates[${index}]`))
}

function validateTemplate({ metadata, spec }: VirtualMachine, template: DataVolumeTemplateSpec, field: string): StatusCause[] {
  const { name = '', namespace = '' } = template.metadata ?? {}
  if (name === '')
    return [
      {
        reason: 'FieldValueRequired',
        message: `'name' field must not be empty for DataVolumeTemplate entry ${field}.`,
        field: `${field}.name`,
      },
    ]
  const own = metadata.namespace ?? ''
  if (namespace !== '' && own !== '' && namespace !== own) {
    const message = `Embedded DataVolume namespace ${namespace} differs from VM namespace ${own}`
    return [{ reason: 'FieldValueInvalid', message, field }]
  }
  const causes = validateDataVolumeSpec(template.spec, `${field}.spec`)
  const isUsed = spec.template.spec.volumes?.some(
    ({ dataVolume, persistentVolumeClaim }) => dataVolume?.name === name || persistentVolumeClaim?.claimName === name,
  )
  if (causes.length > 0 || isUsed === true) return causes
  const message = `DataVolumeTemplate entry ${field} must be referenced in the VMI template's 'volumes' list`
  return [{ reason: 'FieldValueRequired', message, field }]
}
