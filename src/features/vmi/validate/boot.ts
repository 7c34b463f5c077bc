import type { StatusCause } from '#apimachinery/errors.ts'
import { validateName } from '#apimachinery/names.ts'
import { validateLabels } from '#apimachinery/meta/object-meta-rules.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue } from './cause.ts'

const evictionStrategies: readonly string[] = ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External']

/** Validates boot, start and shutdown settings. */
export function validateBoot(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  return [...validateKernelBoot(spec, base), ...validateFirmware(spec, base), ...validateLifecycle(spec, base)]
}

function validateKernelBoot(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const boot = spec.domain.firmware?.kernelBoot
  if (boot === undefined) return []
  const path = `${base}.domain.firmware.kernelBoot`
  const { container, kernelArgs } = boot
  if (container === undefined) {
    return kernelArgs ? [invalidValue(path, 'kernel arguments cannot be provided without an external kernel')] : []
  }
  const causes: StatusCause[] = []
  if (container.image === '') causes.push(required(`${path}.container.image`, `${path} must be defined with an image`))
  if (!container.kernelPath && !container.initrdPath) {
    causes.push(required(`${path}.container`, `${path} must be defined with at least one of the following: kernelPath, initrdPath`))
  }
  return causes
}

function validateFirmware(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const { bootloader } = spec.domain.firmware ?? {}
  if (bootloader?.bios === undefined || bootloader.efi === undefined) return []
  const field = `${base}.domain.firmware.bootloader`
  return [invalidValue(field, `${field}.efi and ${field}.bios are mutually exclusive`)]
}

function validateLifecycle(spec: VirtualMachineInstanceSpec, base: string): StatusCause[] {
  const causes: StatusCause[] = []
  const { terminationGracePeriodSeconds: grace, startStrategy, evictionStrategy, hostname, subdomain } = spec
  const unrecognized = (field: string, value: string): void => {
    causes.push(invalidValue(`${base}.${field}`, `${base}.${field} is set with an unrecognized option: ${value}`))
  }
  if (startStrategy !== undefined && startStrategy !== 'Paused') unrecognized('startStrategy', startStrategy)
  if (evictionStrategy !== undefined && !evictionStrategies.includes(evictionStrategy)) unrecognized('evictionStrategy', evictionStrategy)
  if (grace !== undefined && grace < 0) {
    const field = `${base}.terminationGracePeriodSeconds`
    causes.push(invalidValue(field, `${field} '${grace}': must be greater than or equal to 0.`))
  }
  // KubeVirt accepts a subdomain of several labels, and the API server then refuses the pod.
  for (const [field, name] of Object.entries({ hostname, subdomain })) {
    for (const problem of name === undefined || name === '' ? [] : validateName(name, 'dns-label')) {
      causes.push(invalidValue(`${base}.${field}`, `${base}.${field} does not conform to the kubernetes DNS_LABEL rules : ${problem}`))
    }
  }
  // KubeVirt does not validate node selectors either, and the API server then refuses the pod.
  for (const { field, message } of validateLabels(spec.nodeSelector, `${base}.nodeSelector`)) causes.push(invalidValue(field, message))
  return causes
}

function required(field: string, message: string): StatusCause {
  return { reason: 'FieldValueRequired', message, field }
}
