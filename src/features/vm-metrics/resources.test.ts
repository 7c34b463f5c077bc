import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SizedDomain } from '#features/instancetype/index.ts'
import { limitsOf, requestsOf } from './resources.ts'

const shown = (domain: SizedDomain): string[] =>
  requestsOf(domain).map(({ resource, unit, source, value }) => `${resource} ${unit} ${source} ${value}`)

suite('requestsOf()', () => {
  const rows: readonly (readonly [string, SizedDomain, readonly string[]])[] = [
    ['nothing', {}, ['cpu cores default 1', 'cpu threads default 1', 'cpu sockets default 1', 'cpu cores guest_effective 1']],
    [
      'a topology and guest memory',
      { cpu: { sockets: 2, cores: 3 }, memory: { guest: '2Gi', hugepages: { pageSize: '2Mi' } } },
      [
        'memory bytes guest 2147483648',
        'memory bytes hugepages 2097152',
        'cpu cores domain 3',
        'cpu sockets domain 2',
        'cpu cores guest_effective 6',
        'memory bytes guest_effective 2147483648',
      ],
    ],
    [
      'requests',
      { resources: { requests: { cpu: '250m', memory: '1G' } } },
      [
        'memory bytes domain 1000000000',
        'cpu cores requests 0.25',
        'cpu cores guest_effective 1',
        'memory bytes guest_effective 1000000000',
      ],
    ],
    [
      'limits, which the guest has as memory',
      { cpu: { model: 'host-model' }, resources: { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } } },
      ['memory bytes domain 1073741824', 'cpu cores guest_effective 1', 'memory bytes guest_effective 2147483648'],
    ],
    [
      'a quantity that is none, and zeros',
      { cpu: { sockets: 0, cores: 2 }, memory: { guest: 'much' }, resources: { requests: { cpu: '0' } } },
      ['cpu cores domain 2', 'cpu cores guest_effective 2'],
    ],
  ]
  for (const [what, domain, wanted] of rows) test(`shows ${what}`, () => assert.deepEqual(shown(domain), wanted))
})

test('limitsOf() shows limits that are set', () => {
  assert.deepEqual(limitsOf({}), [])
  assert.deepEqual(limitsOf({ resources: { limits: { cpu: '1500m', memory: '1Ki' } } }), [
    { resource: 'memory', unit: 'bytes', value: 1024 },
    { resource: 'cpu', unit: 'cores', value: 1.5 },
  ])
})
