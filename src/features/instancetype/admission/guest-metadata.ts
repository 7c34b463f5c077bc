import type { StatusCause } from '#apimachinery/errors.ts'
import { validateLabels, validateName, validateQualifiedName } from '#apimachinery/names.ts'
import { invalid } from './cause.ts'

/** Validates annotations of VMIs: an invalid key would make every VMI of the type fail. */
export function validateGuestAnnotations(annotations: Readonly<Record<string, string>> | undefined): StatusCause[] {
  return Object.keys(annotations ?? {}).flatMap((key) =>
    validateQualifiedName(key.toLowerCase()).map((problem) =>
      invalid('spec.annotations', `spec.annotations has the key '${key}': ${problem}`),
    ),
  )
}

/** Validates the node selector. */
export function validateNodeSelector(selector: Readonly<Record<string, string>> | undefined): StatusCause[] {
  return validateLabels(selector, 'spec.nodeSelector').map(({ message, field }) => invalid(field, `${field}: ${message}`))
}

/** Validates the subdomain of VMIs. */
export function validateSubdomain(subdomain: string | undefined): StatusCause[] {
  const field = 'spec.preferredSubdomain'
  if (subdomain === undefined || subdomain === '') return []
  return validateName(subdomain, 'dns-label').map((problem) =>
    invalid(field, `${field} does not conform to the kubernetes DNS_LABEL rules : ${problem}`),
  )
}
