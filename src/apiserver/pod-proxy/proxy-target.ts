import type { Pod } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import { badRequest, serviceUnavailable } from '#apimachinery/errors.ts'
import type { EndpointFinder, HostPort } from '#apiserver/services/endpoint-finder.ts'

/** What the name in the path of a proxied request says: `https:web:metrics`. */
export interface ProxyName {
  readonly scheme: 'http' | 'https'
  readonly name: string
  /** Number or name of a port; empty for the default. */
  readonly port: string
}

/** Parses `[scheme:]name[:port]`. @throws StatusError 400 */
export function parseProxyName(text: string, kind: string): ProxyName {
  const parts = text.split(':')
  const [scheme, name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts]
  const isValid = parts.length <= 3 && name !== '' && (scheme === '' || scheme === 'http' || scheme === 'https')
  if (!isValid) throw badRequest(`invalid ${kind} request "${text}"`)
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port }
}

/**
 * The address that a pod serves a port on; by default that of its first port. @throws StatusError
 */
export function podAddress({ spec, status }: Pod, { scheme, name, port }: ProxyName): HostPort {
  const host = status?.podIP ?? ''
  if (host === '') throw badRequest(`address not allowed: pod "${name}" has no address yet`)
  const first = spec.containers.flatMap(({ ports }) => ports ?? [])[0]?.containerPort
  const number = port === '' ? (first ?? (scheme === 'https' ? 443 : 80)) : Number(port)
  if (!Number.isInteger(number) || number < 1 || number > 65_535) throw badRequest(`invalid pod request "${name}:${port}"`)
  return { host: proxyable(host), port: number }
}

/** The address of a ready endpoint of a service port. @throws StatusError */
export function serviceAddress(find: EndpointFinder, service: Service, { name, port }: ProxyName, random: () => number): HostPort {
  const { ports = [], type } = service.spec ?? {}
  const found = ports.find((one) => String(one.port) === port || (one.name ?? '') === port)
  // An ExternalName leads anywhere, and has no endpoints.
  if (type === 'ExternalName') throw serviceUnavailable(`no endpoints available for service "${name}"`)
  if (found === undefined) throw serviceUnavailable(`no service port "${port}" found for service "${name}"`)
  const endpoints = find(service.metadata.namespace ?? '', name, found.port)
  if (endpoints.kind !== 'ready') throw serviceUnavailable(`no endpoints available for service "${name}"`)
  const { addresses } = endpoints
  const address = addresses[Math.floor(random() * addresses.length)] ?? addresses[0]
  return { host: proxyable(address.host), port: address.port }
}

/**
 * Refuses link-local addresses, on which clouds serve credentials of the machine. Pods of a machine
 * are on loopback addresses, which kube-apiserver refuses, too.
 */
function proxyable(host: string): string {
  if (/^(?:169\.254\.|fe[89ab])/i.test(host)) throw badRequest('address not allowed')
  return host
}
