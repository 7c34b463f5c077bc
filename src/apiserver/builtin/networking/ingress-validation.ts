import type { Ingress } from '#api/networking/v1/ingress.ts'
import { isIP } from 'node:net'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import { labelName, oneOf, portName, portNumber, requiredField } from '../checks/field-checks.ts'
import { invalidShown } from '../checks/go-values.ts'

const subdomain = String.raw`[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`
const wildcard = new RegExp(String.raw`^\*\.${subdomain}$`)
const wildcardMessage =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, " +
  `'-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.${subdomain}')`

type Spec = NonNullable<Ingress['spec']>
type Rule = NonNullable<Spec['rules']>[number]
type Path = NonNullable<Rule['http']>['paths'][number]
type Backend = NonNullable<Spec['defaultBackend']>

function hostFaults(host: string, field: string): FieldError[] {
  if (host === '') return []
  if (isIP(host) !== 0) return [invalidValue(field, host, 'must be a DNS name, not an IP address')]
  if (host.includes('*')) return wildcard.test(host) ? [] : [invalidValue(field, host, wildcardMessage)]
  return validateName(host, 'dns-subdomain').map((why) => invalidValue(field, host, why))
}

function pathFaults({ path = '', pathType, backend }: Path, field: string): FieldError[] {
  const faults: FieldError[] = []
  if (pathType === undefined) faults.push(requiredField(`${field}.pathType`, 'pathType must be specified'))
  else if (pathType === 'Exact' || pathType === 'Prefix') faults.push(...absoluteFaults(path, `${field}.path`))
  else if (pathType === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) faults.push(invalidValue(`${field}.path`, path, 'must be an absolute path'))
  } else faults.push(...oneOf(`${field}.pathType`, pathType, ['Exact', 'ImplementationSpecific', 'Prefix']))
  return [...faults, ...backendFaults(backend, `${field}.backend`)]
}

function absoluteFaults(path: string, field: string): FieldError[] {
  const within = ['//', '/./', '/../', '%2f', '%2F'].filter((sequence) => path.includes(sequence))
  const last = ['/..', '/.'].filter((suffix) => path.endsWith(suffix))
  return [
    ...(path.startsWith('/') ? [] : [invalidValue(field, path, 'must be an absolute path')]),
    ...within.map((sequence) => invalidValue(field, path, `must not contain '${sequence}'`)),
    ...last.map((suffix) => invalidValue(field, path, `cannot end with '${suffix}'`)),
  ]
}

function backendFaults({ service, resource }: Backend, field: string): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [{ reason: 'FieldValueForbidden', field, message: 'Forbidden: cannot set both resource and service backends' }]
  }
  if (resource !== undefined) return []
  if (service === undefined) return [requiredField(field, 'resource or service backend is required')]
  const { name, port = {} } = service
  const faults = labelName(`${field}.service.name`, name)
  const { number = 0, name: byName = '' } = port
  if (number !== 0 && byName !== '') faults.push(requiredField(`${field}.service`, 'cannot set both port name & port number'))
  else if (byName !== '') faults.push(...portName(`${field}.service.port.name`, byName))
  else if (number !== 0) faults.push(...portNumber(`${field}.service.port.number`, number))
  else faults.push(requiredField(`${field}.service`, 'port name or number is required'))
  return faults
}

/** Validates rules, backends and hosts of an Ingress. */
export function validateIngressSpec({ rules = [], defaultBackend, tls = [], ingressClassName }: Spec): readonly FieldError[] {
  const neither = rules.length === 0 && defaultBackend === undefined
  return [
    ...(neither ? [invalidShown('spec', '[]networking.IngressRule(nil)', 'either `defaultBackend` or `rules` must be specified')] : []),
    ...tls.flatMap(({ hosts = [] }, index) => hosts.flatMap((host, place) => hostFaults(host, `spec.tls[${index}].hosts[${place}]`))),
    ...rules.flatMap(({ host = '', http }, index) => [
      ...hostFaults(host, `spec.rules[${index}].host`),
      ...(http !== undefined && (http.paths ?? []).length === 0 ? [requiredField(`spec.rules[${index}].http.paths`)] : []),
      ...(http?.paths ?? []).flatMap((path, place) => pathFaults(path, `spec.rules[${index}].http.paths[${place}]`)),
    ]),
    ...(defaultBackend === undefined ? [] : backendFaults(defaultBackend, 'spec.defaultBackend')),
    ...(ingressClassName === undefined
      ? []
      : validateName(ingressClassName, 'dns-subdomain').map((why) => invalidValue('spec.ingressClassName', ingressClassName, why))),
  ]
}
