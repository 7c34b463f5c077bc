import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'

const system = ['-n', 'kubevirt']

suite('the KubeVirt object says how the components run', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const patch = (spec: object): string[] => ['patch', 'kubevirt', 'kubevirt', ...system, '--type=merge', '-p', JSON.stringify({ spec })]
  const customize = (resourceType: string, resourceName: string, type: string, change: object): object => ({
    customizeComponents: { patches: [{ resourceType, resourceName, type, patch: JSON.stringify(change) }] },
  })
  const print = (...args: string[]): Promise<string> => machine.kubectl(['get', ...system, ...args])
  const ready = (name: string): Promise<string> => print('deployment', name, '-o', 'jsonpath={.status.readyReplicas}/{.spec.replicas}')

  test('how many there are', async () => {
    await machine.kubectl(patch({ infra: { replicas: 2 } }))
    for (const name of ['virt-api', 'virt-controller']) {
      await eventually(
        async () => (await ready(name)) === '2/2',
        () => print('pods', '-o', 'wide'),
      )
    }
    const events = await print('events', '--field-selector=reason=AdvancedFeatureUse', '-o', 'name')
    assert.notEqual(events, '')
    await machine.kubectl(patch({ infra: null }))
    for (const name of ['virt-api', 'virt-controller']) {
      await eventually(
        async () => (await ready(name)) === '1/1',
        () => print('pods', '-o', 'wide'),
      )
    }
  })

  test('patches and flags, of the node agents too', async () => {
    const agent = async (): Promise<string> =>
      textAt(await machine.getJson('pods', ...system, '-l', 'kubevirt.io=virt-handler'), 'items.0.metadata.uid')
    const before = await agent()
    const env = [{ name: 'PATCHED', value: 'yes' }]
    const change = { spec: { template: { spec: { containers: [{ name: 'virt-handler', env }] } } } }
    await machine.kubectl(patch(customize('DaemonSet', 'virt-handler', 'strategic', change)))
    // For a moment there is none at all.
    const condition =
      'jsonpath={range .items[*]}{.spec.containers[0].env[?(@.name=="PATCHED")].value} {.status.conditions[?(@.type=="Ready")].status}{end}'
    const state = (): Promise<string> => print('pods', '-l', 'kubevirt.io=virt-handler', '-o', condition)
    await eventually(async () => (await state()) === 'yes True', state)
    assert.notEqual(await agent(), before)
    const done = 'jsonpath={.status.phase} {.status.conditions[?(@.type=="Available")].status} {.status.steadyvm.upgrade}'
    const status = (): Promise<string> => print('kubevirt', 'kubevirt', '-o', done)
    await eventually(async () => (await status()) === 'Deployed True ', status)
  })

  test('what cannot be done is refused with its path', async () => {
    const rows: readonly (readonly [object, string])[] = [
      [{ infra: { replicas: 0 } }, 'spec.infra.replicas'],
      [customize('Deployment', 'virt-api', 'json', [{ op: 'remove', path: '/spec/nothing' }]), 'spec.customizeComponents.patches[0]'],
      [{ uninstallStrategy: 'Perhaps' }, 'spec.uninstallStrategy'],
    ]
    for (const [spec, field] of rows) {
      const { code, stderr } = await machine.tryKubectl(patch(spec))
      assert.equal(code, 1, field)
      assert.ok(stderr.includes(field), stderr)
    }
  })
})
