import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue, requiredValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'

/** `clientConfig.service` of a webhook. */
export interface ServiceReference {
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly path?: string | undefined
  readonly port?: number | undefined
}

const largestPort = 65_535

/** Validates the service of an admission or conversion webhook. */
export function validateServiceReference({ namespace, name, path = '', port = 443 }: ServiceReference, field: string): FieldError[] {
  return [
    ...(name === '' || name === undefined ? [requiredValue(`${field}.name`, 'service name is required')] : []),
    ...(namespace === '' || namespace === undefined ? [requiredValue(`${field}.namespace`, 'service namespace is required')] : []),
    ...(port >= 1 && port <= largestPort
      ? []
      : [invalidValue(`${field}.port`, port, `port is not valid: must be between 1 and ${largestPort}, inclusive`)]),
    ...validatePath(path, `${field}.path`),
  ]
}

/** Each segment must be a DNS subdomain. An empty path is the root, as an absent one. */
function validatePath(path: string, field: string): FieldError[] {
  if (path === '' || path === '/') return []
  if (path === '//') return [invalidValue(field, path, 'segment[0] may not be empty')]
  const start = path.startsWith('/') ? [] : [invalidValue(field, path, "must start with a '/'")]
  const segments = path.slice(1).replace(/\/$/, '').split('/')
  return [
    ...start,
    ...segments.flatMap((segment, index) => {
      if (segment === '') return [invalidValue(field, path, `segment[${index}] may not be empty`)]
      return validateName(segment, 'dns-subdomain').map((why) => invalidValue(field, path, `segment[${index}]: ${why}`))
    }),
  ]
}
