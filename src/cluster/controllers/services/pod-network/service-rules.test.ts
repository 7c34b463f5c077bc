import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Service } from '#api/core/v1/service.ts'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import { addressInNetwork, serviceRules } from './service-rules.ts'

function service(name: string, spec: NonNullable<Service['spec']>): Service {
  return { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'team', name }, spec }
}

function slice(name: string, port: number, endpoints: EndpointSlice['endpoints']): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'team', name: `${name}-x`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints,
    ports: [{ name: '', port, protocol: 'TCP' }],
  }
}

const ready = (address: string, hostname?: string) => ({
  addresses: [address],
  conditions: { ready: true },
  ...(hostname === undefined ? {} : { hostname }),
})
const web = service('web', { clusterIP: '127.97.3.4', ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }] })

suite('serviceRules()', () => {
  const dnat = (services: Service[], slices: EndpointSlice[]): string[] =>
    serviceRules(services, slices, '10.115')
      .rules.split('\n')
      .filter((line) => line.includes('dnat to'))
      .map((line) => line.trim())

  test('sends a connection to one of the ready endpoints, each once', () => {
    const slices = [
      slice('web', 8080, [
        ready('10.115.1.2'),
        ready('10.115.1.1'),
        ready('10.115.1.2'),
        { addresses: ['10.115.1.3'], conditions: { ready: false } },
        ready('127.64.1.1'),
      ]),
    ]
    assert.deepEqual(dnat([web], slices), [
      'ip daddr 10.97.3.4 tcp dport 80 dnat to numgen random mod 2 map { 0 : 10.115.1.1 . 8080, 1 : 10.115.1.2 . 8080 }',
    ])
    const sticky = service('web', { ...web.spec, sessionAffinity: 'ClientIP' })
    assert.match(dnat([sticky], slices)[0] ?? '', /dnat to jhash ip saddr mod 2 map/)
  })

  test('has no rule for a service without endpoints in the network', () => {
    assert.deepEqual(dnat([web], [slice('web', 8080, [ready('127.64.1.1')]), slice('other', 8080, [ready('10.115.1.1')])]), [])
  })

  test('names services, and the endpoints of headless ones', () => {
    const headless = service('db', { clusterIP: 'None', ports: [] })
    const external = service('ext', { type: 'ExternalName', externalName: 'example.com' })
    const { hosts } = serviceRules([web, headless, external], [slice('db', 1, [ready('10.115.1.2', 'two'), ready('10.115.1.1')])], '10.115')
    assert.deepEqual(Object.fromEntries(hosts), {
      'team.web': '10.97.3.4 web.team.svc.cluster.local\n',
      'team.db': '10.115.1.1 db.team.svc.cluster.local\n10.115.1.2 db.team.svc.cluster.local two.db.team.svc.cluster.local\n',
    })
  })
})

test('addressInNetwork() maps the range of services', () => {
  for (const [given, expected] of [
    ['127.96.0.1', '10.96.0.1'],
    ['127.111.255.254', '10.111.255.254'],
    ['127.95.0.1', undefined],
    ['127.112.0.1', undefined],
    ['None', undefined],
    ['', undefined],
  ] as const)
    assert.equal(addressInNetwork(given), expected)
})
