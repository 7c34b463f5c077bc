import type { StatusCause } from '#apimachinery/errors.ts'
import { validateLabels, validateName, validateQualifiedName } from '#apimachinery/names.ts'
import { invalid } from './cause.ts'

/**
 * Annotations for guests: a key that no object can carry would keep every guest from being made.
 */
export function validateGuestAnnotations(annotations: Readonly<Record<string, string>> | undefined): StatusCause[] {
  return Object.keys(annotations ?? {}).flatMap((key) =>
    validateQualifiedName(key.toLowerCase()).map((problem) =>
      invalid('spec.annotations', `spec.annotations has the key '${key}': ${problem}`),
    ),
  )
}

/** Labels that a node must have. */
export function validateNodeSelector(selector: Readonly<Record<string, string>> | undefined): StatusCause[] {
  return validateLabels(selector, 'spec.nodeSelector').map(({ message, field }) => invalid(field, `${field}: ${message}`))
}

/** Subdomain of the guests. */
export function validateSubdomain(subdomain: string | undefined): StatusCause[] {
  const field = 'spec.preferredSubdomain'
  if (subdomain === undefined || subdomain === '') return []
  return validateName(subdomain, 'dns-label').map((problem) =>
    invalid(field, `${field} does not conform to the kubernetes DNS_LABEL rules : ${problem}`),
  )
}
