import { isIPv4 } from 'node:net'
import type { Service, ServicePort, ServiceSpec } from '#api/core/v1/service.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { duplicateValue, invalidValue, quote } from '#apimachinery/field-messages.ts'
import { validateName } from '#apimachinery/names.ts'
import { oneOf, portNumber, portNumberOrName, requiredField } from '../checks/field-checks.ts'
import { forbiddenField } from '../checks/immutable-field.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const protocols = ['SCTP', 'TCP', 'UDP']
const noClusterPorts = new Set(['ExternalName'])

/** Validates services beyond their schema. */
export function validateService(service: Service, old: Service | undefined): readonly FieldError[] {
  const { spec } = service
  if (spec === undefined) return [requiredField('spec.ports')]
  return [
    ...oneOf('spec.type', spec.type, types),
    ...oneOf('spec.sessionAffinity', spec.sessionAffinity, ['ClientIP', 'None']),
    ...validatePorts(spec),
    ...(spec.type === 'ExternalName' ? validateExternalName(spec) : validateAddress(spec)),
    ...validateAddressChange(spec, old?.spec),
  ]
}

function validatePorts(spec: ServiceSpec): FieldError[] {
  const ports = spec.ports ?? []
  if (ports.length === 0 && spec.clusterIP !== 'None' && !noClusterPorts.has(spec.type ?? '')) return [requiredField('spec.ports')]
  return ports.flatMap((port, index) => validatePort(spec, port, index))
}

function validatePort(spec: ServiceSpec, port: ServicePort, index: number): FieldError[] {
  const { ports = [], type } = spec
  const field = `spec.ports[${index}]`
  const earlier = ports.slice(0, index)
  const { name = '', protocol = 'TCP', targetPort, nodePort = 0 } = port
  return [
    ...validatePortName(`${field}.name`, name, earlier, ports.length),
    ...portNumber(`${field}.port`, port.port),
    ...oneOf(`${field}.protocol`, protocol, protocols),
    ...portNumberOrName(`${field}.targetPort`, targetPort),
    ...(type === 'ClusterIP' && nodePort !== 0 ? [forbiddenField(`${field}.nodePort`, "may not be used when `type` is 'ClusterIP'")] : []),
    ...(earlier.some((other) => other.port === port.port && (other.protocol ?? 'TCP') === protocol)
      ? [duplicateValue(field, { port: port.port, protocol })]
      : []),
  ]
}

function validatePortName(field: string, name: string, earlier: readonly ServicePort[], count: number): FieldError[] {
  if (name === '') return count > 1 ? [requiredField(field)] : []
  if (earlier.some((other) => other.name === name)) return [duplicateValue(field, name)]
  return validateName(name, 'dns-label').map((why) => invalidValue(field, name, why))
}

function validateExternalName({ externalName = '', clusterIP }: ServiceSpec): FieldError[] {
  return [
    ...(externalName === '' ? [requiredField('spec.externalName')] : []),
    ...validateName(externalName.replace(/\.$/, ''), 'dns-subdomain')
      .filter(() => externalName !== '')
      .map((why) => invalidValue('spec.externalName', externalName, why)),
    ...(clusterIP === undefined || clusterIP === '' || clusterIP === 'None'
      ? []
      : [forbiddenField('spec.clusterIPs[0]', 'may not be set for ExternalName services')]),
  ]
}

function validateAddress({ type, clusterIP, clusterIPs = [] }: ServiceSpec): FieldError[] {
  if (clusterIP === undefined || clusterIP === '') return []
  const shown = strings(clusterIPs)
  if (clusterIPs[0] !== clusterIP) return [withText('spec.clusterIPs', shown, 'first value must match `clusterIP`')]
  if (clusterIP === 'None') {
    const wrong = type !== 'ClusterIP'
    return wrong ? [withText('spec.clusterIPs[0]', quote('None'), "may not be set to 'None' for LoadBalancer or NodePort services")] : []
  }
  return clusterIPs
    .filter((address) => !isIPv4(address))
    .map((address) => invalidValue('spec.clusterIPs[0]', address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'))
}

/** The address is immutable while the type has one. */
function validateAddressChange(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const before = old?.clusterIP ?? ''
  if (before === '' || spec.type === 'ExternalName' || old?.type === 'ExternalName' || spec.clusterIP === before) return []
  const why = (spec.clusterIP ?? '') === '' ? 'primary clusterIP can not be unset' : 'may not change once set'
  return [withText('spec.clusterIPs[0]', strings(spec.clusterIPs ?? []), why)]
}

/** Error for a value in Go's format. */
function withText(field: string, shown: string, why: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: ${why}` }
}

function strings(values: readonly string[]): string {
  return `[${values.map(quote).join(',')}]`
}
