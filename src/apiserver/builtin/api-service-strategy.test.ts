import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type AggregationTest, startAggregationTest } from '../aggregation/aggregation.fixture.ts'

const path = '/apis/apiregistration.k8s.io/v1/apiservices'
const apiService = (name: string, spec: object): object => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name },
  spec: { group: 'example.test', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, ...spec },
})
const service = { namespace: 'dev', name: 'extension' }

suite('apiServiceStrategy', () => {
  let environment: AggregationTest
  before(async () => {
    environment = await startAggregationTest()
  })
  after(() => environment[Symbol.asyncDispose]())

  const refusals = [
    ['v1.other.test', {}, 'metadata.name: Invalid value: "v1.other.test": must be `spec.version+"."+spec.group`: "v1.example.test"'],
    ['v2.', { group: '', version: 'v2' }, 'spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
    ['v1.Example', { group: 'Example' }, /^spec\.group: Invalid value: "Example": a lowercase RFC 1123 subdomain must consist of/],
    ['1.example.test', { version: '1' }, /^spec\.version: Invalid value: "1": a DNS-1035 label must consist of/],
    ['v1.example.test', { groupPriorityMinimum: 0 }, 'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000'],
    ['v1.example.test', { versionPriority: 1001 }, 'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000'],
    ['v1.example.test', { caBundle: 'QUJD' }, 'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle'],
    ['v1.example.test', { service: { name: 'x' } }, 'spec.service.namespace: Required value'],
    [
      'v1.example.test',
      { service: { ...service, port: 70_000 } },
      'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
    ],
    [
      'v1.example.test',
      { service, caBundle: 'QUJD', insecureSkipTLSVerify: true },
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  ] as const
  for (const [name, spec, message] of refusals)
    test(`refuses ${JSON.stringify(spec)} as ${name}`, async () => {
      const { status, value } = await environment.admin.request('POST', path, {
        headers: { 'content-type': 'application/json' },
        body: apiService(name, spec),
      })
      const text = (value as { message: string }).message.replace(`APIService.apiregistration.k8s.io "${name}" is invalid: `, '')
      assert.equal(status, 422)
      if (typeof message === 'string') assert.equal(text, message)
      else assert.match(text, message)
    })

  test('defaults the port, and drops a client-provided status', async () => {
    const condition = { type: 'Available', status: 'True', reason: 'Passed' }
    const created = await environment.create(path, { ...apiService('v1.example.test', { service }), status: { conditions: [condition] } })
    assert.deepEqual([(created['spec'] as { service: object }).service, created['status']], [{ ...service, port: 443 }, undefined])
  })

  test('renders the columns of kubectl', async () => {
    await environment.untilAvailable('False', 'ServiceNotFound')
    const table = await environment.admin.request('GET', path, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
    const { columnDefinitions, rows } = table.value as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] }
    assert.deepEqual(
      columnDefinitions.map(({ name }) => name),
      ['Name', 'Service', 'Available', 'Age'],
    )
    const cellsOf = (name: string): unknown[] | undefined => rows.find(({ cells }) => cells[0] === name)?.cells.slice(0, 3)
    assert.deepEqual(cellsOf('v1.'), ['v1.', 'Local', 'True'])
    assert.deepEqual(cellsOf('v1.example.test'), ['v1.example.test', 'dev/extension', 'False (ServiceNotFound)'])
  })
})
