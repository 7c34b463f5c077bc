import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { evaluate } from '#apimachinery/cel/compile.fixture.ts'
import { createAdmissionHandlers } from './handlers.ts'
import { webhookConfigurations } from './webhook-configurations.ts'

const { mutating, validating } = webhookConfigurations({ service: { namespace: 'kubevirt', name: 'virt-api' }, caBundle: '' })
const webhooks = [...(mutating.webhooks ?? []), ...(validating.webhooks ?? [])]

test('webhookConfigurations() names each handler, and no other path', () => {
  const handlers = createAdmissionHandlers({} as never)
  const paths = webhooks.map(({ clientConfig }) => clientConfig.service?.path ?? '')
  assert.deepEqual(paths.toSorted(), Object.keys(handlers).toSorted())
})

test('webhookConfigurations() covers every write that a handler must review', () => {
  const lenient = webhooks.filter(({ failurePolicy }) => failurePolicy !== 'Fail').map(({ name }) => name)
  assert.deepEqual(lenient, [
    'kubevirt-update-validator.kubevirt.io',
    'storageprofile-validator.cdi.kubevirt.io',
    'virt-launcher-eviction-interceptor.kubevirt.io',
    'disruption-budget.steadyvm.io',
    'stored-only.steadyvm.io',
    'instancetype-deletion.steadyvm.io',
  ])
})

suite('the mutator of VMs is called', () => {
  const webhook = webhooks.find(({ name }) => name === 'virtualmachines-mutator.kubevirt.io')
  const expression = webhook?.matchConditions?.[0]?.expression ?? ''
  const rows: readonly (readonly [string, object, boolean])[] = [
    ['infers its instance type', { spec: { instancetype: { inferFromVolume: 'root' } } }, true],
    ['infers its preference', { spec: { preference: { inferFromVolume: 'root' } } }, true],
    ['infers one and names the other', { spec: { instancetype: { name: 'a' }, preference: { inferFromVolume: 'root' } } }, true],
    ['names a preference and creates volumes', { spec: { preference: { name: 'b' }, dataVolumeTemplates: [{}] } }, true],
    ['creates volumes without a preference', { spec: { dataVolumeTemplates: [{}] } }, false],
    ['names both', { spec: { instancetype: { name: 'a' }, preference: { name: 'b' } } }, false],
    ['names none', { spec: {} }, false],
    ['has empty fields', { spec: { instancetype: { inferFromVolume: '' }, preference: {} } }, false],
    ['has null for its fields', { spec: { instancetype: { inferFromVolume: null }, preference: null } }, false],
    ['has null for a spec', { spec: null }, false],
    ['has no spec', {}, false],
  ]
  for (const [name, object, wanted] of rows) {
    test(`${wanted ? 'for' : 'not for'} a VM that ${name}`, () => assert.equal(evaluate(expression, object), wanted))
  }
})

suite('the deletion of a KubeVirt object is judged', () => {
  const webhook = webhooks.find(({ name }) => name === 'kubevirt-validator.kubevirt.io')
  const expression = webhook?.matchConditions?.[0]?.expression ?? ''
  const rows: readonly (readonly [string, object, boolean])[] = [
    ['has uninstall strategy BlockUninstallIfWorkloadsExist', { spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' } }, true],
    ['does not', { spec: { uninstallStrategy: 'RemoveWorkloads' } }, false],
    ['says nothing', { spec: {} }, false],
    ['has no spec', {}, false],
  ]
  for (const [name, oldObject, wanted] of rows) {
    test(`${wanted ? 'when' : 'not when'} it ${name}`, () => assert.equal(evaluateChange(expression, {}, oldObject), wanted))
  }
})

suite('a change of a VMI is judged', () => {
  const webhook = webhooks.find(({ name }) => name === 'virtualmachineinstances-update-validator.kubevirt.io')
  const expression = webhook?.matchConditions?.find(({ name }) => name === 'changes-more-than-notes')?.expression ?? ''
  const status = { phase: 'Running', migrationState: { migrationUid: 'm' } }
  const labels = { size: 'small' }
  const rows: readonly (readonly [string, Change, Change, boolean])[] = [
    ['changes nothing', { spec: { a: 1 }, status, metadata: { labels } }, { spec: { a: 1 }, status, metadata: { labels } }, false],
    ['has no status and labels before and after', {}, {}, false],
    ['removes a finalizer', { metadata: { finalizers: [] } }, { metadata: { finalizers: ['a'] } }, false],
    ['adds a status', { status }, {}, true],
    ['removes the status', {}, { status }, true],
    ['changes the status deep inside', { status: { ...status, migrationState: { migrationUid: 'n' } } }, { status }, true],
    ['changes the spec deep inside', { spec: { domain: { cpu: { sockets: 3 } } } }, { spec: { domain: { cpu: { sockets: 1 } } } }, true],
    ['adds a label', { metadata: { labels: { ...labels, more: '' } } }, { metadata: { labels } }, true],
    ['adds the first label', { metadata: { labels } }, {}, true],
  ]
  for (const [name, object, oldObject, wanted] of rows) {
    const judged = (): unknown => evaluateChange(expression, { metadata: {}, ...object }, { metadata: {}, ...oldObject })
    test(`${wanted ? 'when' : 'not when'} it ${name}`, () => assert.equal(judged(), wanted))
  }
})

interface Change {
  readonly metadata?: object
  readonly spec?: object
  readonly status?: object
}

function evaluateChange(expression: string, object: object, oldObject: object): unknown {
  return evaluate(expression.replaceAll('oldObject', 'object.before'), { ...object, before: oldObject })
}
