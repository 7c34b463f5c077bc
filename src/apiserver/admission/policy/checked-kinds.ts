import type { ValidatingAdmissionPolicySpec } from '#api/admissionregistration/v1/validating-admission-policy.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'

/** Largest number of kinds against which a policy is checked, as in kube-apiserver. */
const mostKinds = 10

/**
 * Returns the kinds that a policy names, sorted. Rules with wildcards and subresources name none:
 * they apply to objects of any type.
 */
export function checkedKinds(spec: ValidatingAdmissionPolicySpec, served: readonly ResourceDefinition[]): readonly ResourceDefinition[] {
  const found = new Set<ResourceDefinition>()
  for (const { apiGroups = [], apiVersions = [], resources = [] } of spec.matchConstraints?.resourceRules ?? []) {
    if (apiGroups.includes('*') || apiVersions.includes('*')) continue
    for (const definition of served) {
      const { group, version, plural } = definition
      if (apiGroups.includes(group) && apiVersions.includes(version) && resources.includes(plural)) found.add(definition)
      if (found.size === mostKinds) return sorted(found)
    }
  }
  return sorted(found)
}

function sorted(definitions: ReadonlySet<ResourceDefinition>): readonly ResourceDefinition[] {
  const key = ({ group, version, kind }: ResourceDefinition): string => `${group}\0${version}\0${kind}`
  return [...definitions].toSorted((a, b) => (key(a) < key(b) ? -1 : 1))
}
