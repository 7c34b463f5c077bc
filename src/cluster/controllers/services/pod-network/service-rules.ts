import type { Service, ServicePort } from '#api/core/v1/service.ts'
import type { Endpoint, EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import { serviceNameLabel } from '../endpoints/endpoint-slices.ts'

/** What makes services reachable in the pod network. */
export interface ServiceRules {
  /** Rules of nftables: connections to a service's address go to one of its endpoints. */
  readonly rules: string
  /** Addresses of names, in the form of /etc/hosts, by service. */
  readonly hosts: ReadonlyMap<string, string>
}

/** An endpoint of a service that is in the pod network. */
interface Target {
  readonly address: string
  readonly hostname?: string | undefined
  readonly port: number
}

/** Domain of services, as on every cluster. */
const domain = 'svc.cluster.local'

/**
 * Computes the rules of all services. An address of machine mode, 127.96.0.0/12, stands for the
 * same one of 10.96.0.0/12: loopback addresses do not leave a guest. Endpoints outside of the pod
 * network cannot be reached from there. Pure.
 */
export function serviceRules(services: readonly Service[], slices: readonly EndpointSlice[], prefix: string): ServiceRules {
  const byService = Map.groupBy(slices, ({ metadata }) => `${metadata.namespace ?? ''}/${metadata.labels?.[serviceNameLabel] ?? ''}`)
  const lines: string[] = []
  const hosts = new Map<string, string>()
  const sorted = services.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  for (const service of sorted) {
    const { spec: { type = 'ClusterIP', clusterIP = '', ports = [], sessionAffinity } = {} } = service
    if (type === 'ExternalName') continue
    const own = byService.get(keyOf(service)) ?? []
    const name = keyOf(service).replace('/', '.')
    const address = addressInNetwork(clusterIP)
    if (address === undefined) {
      const names = headlessNames(service, own, prefix)
      if (names !== '') hosts.set(name, names)
      continue
    }
    hosts.set(name, `${address} ${nameOf(service)}\n`)
    for (const port of ports) {
      const targets = targetsOf(own, port, prefix)
      if (targets.length > 0) lines.push(rule(address, port, targets, sessionAffinity === 'ClientIP'))
    }
  }
  return { rules: table(lines), hosts }
}

/** Returns the address of a service in the pod network; undefined for a headless service. */
export function addressInNetwork(clusterIP: string): string | undefined {
  return /^127\.(9[6-9]|10\d|11[01])\./.test(clusterIP) ? clusterIP.replace('127', '10') : undefined
}

function keyOf({ metadata: { namespace = '', name = '' } }: Service): string {
  return `${namespace}/${name}`
}

function nameOf({ metadata: { namespace = '', name = '' } }: Service): string {
  return `${name}.${namespace}.${domain}`
}

function targetsOf(slices: readonly EndpointSlice[], { name = '' }: ServicePort, prefix: string): Target[] {
  const targets = slices.flatMap(({ endpoints, ports = [] }) => {
    const port = ports.find((candidate) => (candidate.name ?? '') === name)?.port
    return port === undefined ? [] : readyIn(endpoints, prefix).map((endpoint) => ({ ...endpoint, port }))
  })
  // Both ends of a live migration have the same address.
  const distinct = new Map(targets.map((target) => [`${target.address}:${target.port}`, target]))
  return [...distinct.values()].toSorted((a, b) => (a.address < b.address ? -1 : 1))
}

function readyIn(endpoints: readonly Endpoint[], prefix: string): Omit<Target, 'port'>[] {
  return endpoints
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses, hostname }) =>
      addresses.filter((address) => address.startsWith(`${prefix}.`)).map((address) => ({ address, hostname })),
    )
}

function headlessNames(service: Service, slices: readonly EndpointSlice[], prefix: string): string {
  const found = slices.flatMap(({ endpoints }) => readyIn(endpoints, prefix))
  const lines = found.map(({ address, hostname }) => {
    const own = hostname === undefined || hostname === '' ? '' : ` ${hostname}.${nameOf(service)}`
    return `${address} ${nameOf(service)}${own}\n`
  })
  return [...new Set(lines)].toSorted().join('')
}

function rule(address: string, { port, protocol = 'TCP' }: ServicePort, targets: readonly Target[], isSticky: boolean): string {
  const choice = isSticky ? 'jhash ip saddr' : 'numgen random'
  const map = targets.map((target, index) => `${index} : ${target.address} . ${target.port}`).join(', ')
  return `    ip daddr ${address} ${protocol.toLowerCase()} dport ${port} dnat to ${choice} mod ${targets.length} map { ${map} }\n`
}

/** The table is replaced at once: no connection sees a part of it. */
function table(lines: readonly string[]): string {
  return `table ip services
delete table ip services
table ip services {
  chain prerouting {
    type nat hook prerouting priority dstnat; policy accept;
${lines.join('')}  }
  # What is still addressed to a service here has no endpoint.
  chain forward {
    type filter hook forward priority filter - 1; policy accept;
    ip daddr 10.96.0.0/12 meta l4proto tcp reject with tcp reset
    ip daddr 10.96.0.0/12 reject
  }
}
`
}
