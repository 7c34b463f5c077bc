import { VirtualMachine as virtualMachineSchema } from '#api/kubevirt/v1/schema.generated.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { badRequest, StatusError, type StatusCause } from '#apimachinery/errors.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'

/** Reads a body of JSON; none gives an empty object. @throws StatusError 400 */
export function parseOptions(body: string): Readonly<Record<string, unknown>> {
  if (body.trim() === '') return {}
  const value = parseJson(body)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw invalidBody('it is no JSON object')
}

/**
 * Reads the dryRun option. An invalid value is refused: ignoring it would perform the request.
 * @throws StatusError 400
 */
export function readDryRun({ dryRun }: Readonly<Record<string, unknown>>): boolean {
  if (dryRun === undefined || dryRun === null) return false
  if (Array.isArray(dryRun) && dryRun.every((item) => item === 'All')) return dryRun.length > 0
  throw invalidBody('dryRun must be a list of "All"')
}

/** Returns the error for an invalid option in a request body. */
export function invalidBody(problem: string): StatusError {
  return badRequest(`Can not unmarshal Request body to struct, error: ${problem}`)
}

/** Parses a VM for the namespace. @throws StatusError 400 */
export function parseVirtualMachine(body: string, namespace: string): VirtualMachine {
  if (body.trim() === '') throw badRequest('empty request body')
  const value = parseJson(body) as VirtualMachine
  const causes = causesOf(value)
  if (causes.length > 0) throw notAVirtualMachine(causes)
  const own = value.metadata?.namespace ?? ''
  if (own !== '' && own !== namespace) throw badRequest(`VM namespace must be empty or ${namespace}`)
  return { ...value, metadata: { ...value.metadata, namespace } }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch (error) {
    throw invalidBody(error instanceof Error ? error.message : String(error))
  }
}

function causesOf(value: unknown): StatusCause[] {
  const errors = validateStructural(value, virtualMachineSchema)
  const { kind = 'VirtualMachine', apiVersion = 'kubevirt.io/v1' } = (value ?? {}) as {
    readonly kind?: unknown
    readonly apiVersion?: unknown
  }
  return [
    ...(kind === 'VirtualMachine' ? [] : [{ reason: 'FieldValueInvalid', message: `it is "${String(kind)}"`, field: 'kind' }]),
    ...(String(apiVersion).startsWith('kubevirt.io/')
      ? []
      : [{ reason: 'FieldValueInvalid', message: `it is "${String(apiVersion)}"`, field: 'apiVersion' }]),
    ...errors.map(({ reason, message, field }) => ({ reason, message, field })),
  ]
}

function notAVirtualMachine(causes: StatusCause[]): StatusError {
  const { status } = badRequest('Object is not a valid VirtualMachine')
  return new StatusError({ ...status, details: { causes } })
}
