import type { StatusCause } from '#apimachinery/errors.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, when, type ValidationConfig } from '../cause.ts'

const architectures: readonly string[] = ['amd64', 'arm64', 's390x']

/** Validates architecture and machine type. */
export function validateMachine(
  { architecture = '', domain }: VirtualMachineInstanceSpec,
  base: string,
  { emulatedMachines }: ValidationConfig,
): readonly StatusCause[] {
  const type = domain.machine?.type ?? ''
  const field = `${base}.domain.machine.type`
  const allowed = emulatedMachines[architecture] ?? emulatedMachines['amd64'] ?? []
  return [
    ...when(
      type !== '' && !allowed.some((pattern) => expressionOf(pattern).test(type)),
      invalidValue(field, `${field} is not supported: ${type} (allowed values: [${allowed.join(' ')}])`),
    ),
    ...when(!architectures.includes(architecture), invalidValue(`${base}.architecture`, `unsupported architecture: ${architecture}`)),
  ]
}

/** Patterns have the two wildcards of a shell. */
function expressionOf(pattern: string): RegExp {
  const text = pattern.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${text.replaceAll('*', '.*').replaceAll('?', '.')}$`)
}
