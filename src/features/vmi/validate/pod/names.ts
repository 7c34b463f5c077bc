import type { StatusCause } from '#apimachinery/errors.ts'
import { validateLabels } from '#apimachinery/meta/object-meta-rules.ts'
import { validateName } from '#apimachinery/names.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { invalidValue, when } from '../cause.ts'

/** Validates names that the launcher's pod gets, which the API server would refuse it for. */
export function validateNames(spec: VirtualMachineInstanceSpec, base: string): readonly StatusCause[] {
  const { hostname = '', subdomain = '', nodeSelector, serviceAccountName = '' } = spec
  return [
    ...conforms(hostname, `${base}.hostname`),
    ...conforms(subdomain, `${base}.subdomain`, 'dns-subdomain'),
    // KubeVirt accepts a subdomain of several labels, and the API server then refuses the pod.
    ...(validateName(subdomain, 'dns-subdomain').length > 0 ? [] : conforms(subdomain, `${base}.subdomain`)),
    // KubeVirt does not validate node selectors, and the API server then refuses the pod.
    ...validateLabels(nodeSelector, `${base}.nodeSelector`).map(({ field, message }) => invalidValue(field, message)),
    ...validateServiceAccount(spec, serviceAccountName, `${base}.serviceAccountName`),
  ]
}

function conforms(name: string, field: string, kind: 'dns-label' | 'dns-subdomain' = 'dns-label'): readonly StatusCause[] {
  const problems = name === '' ? [] : validateName(name, kind)
  const rules = kind === 'dns-label' ? 'DNS_LABEL' : 'DNS_SUBDOMAIN'
  return when(
    problems.length > 0,
    invalidValue(field, `${field} does not conform to the kubernetes ${rules} rules : ${problems.join(', ')}`),
  )
}

function validateServiceAccount({ volumes = [] }: VirtualMachineInstanceSpec, name: string, field: string): readonly StatusCause[] {
  if (name === '') return []
  const problems = validateName(name, 'dns-subdomain')
  const other = volumes.find(({ serviceAccount }) => serviceAccount !== undefined && serviceAccount.serviceAccountName !== name)
  const names = `"${name}" and serviceAccount volume "${other?.serviceAccount?.serviceAccountName ?? ''}"`
  return [
    ...when(problems.length > 0, invalidValue(field, `${field} is not a valid service account name: ${problems.join('; ')}`)),
    ...when(other !== undefined, invalidValue(field, `spec.serviceAccountName ${names} must reference the same service account`)),
  ]
}
