import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { longTest } from '../support/effort.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'

const system = ['-n', 'kubevirt']

suite('the KubeVirt object configures the components', { skip: noKubectl }, () => {
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

  test('number of replicas', async () => {
    // As many as the nodes ask for.
    const usual = await ready('virt-controller')
    const other = usual === '1/1' ? 2 : 1
    await machine.kubectl(patch({ infra: { replicas: other } }))
    for (const name of ['virt-api', 'virt-controller']) {
      await eventually(
        async () => (await ready(name)) === `${other}/${other}`,
        () => print('pods', '-o', 'wide'),
      )
    }
    const events = await print('events', '--field-selector=reason=AdvancedFeatureUse', '-o', 'name')
    assert.notEqual(events, '')
    await machine.kubectl(patch({ infra: null }))
    for (const name of ['virt-api', 'virt-controller']) {
      await eventually(
        async () => (await ready(name)) === usual,
        () => print('pods', '-o', 'wide'),
      )
    }
  })

  test('patches and flags, also of the node agents', async () => {
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
    await eventually(async () => /^(yes True)+$/.test(await state()), state)
    assert.notEqual(await agent(), before)
    const done = 'jsonpath={.status.phase} {.status.conditions[?(@.type=="Available")].status} {.status.steadyvm.upgrade}'
    const status = (): Promise<string> => print('kubevirt', 'kubevirt', '-o', done)
    await eventually(async () => (await status()) === 'Deployed True ', status)
  })

  test('removed objects are restored', async () => {
    const binding = ['rolebinding', 'system:steadyvm:virt-controller']
    const uid = (): Promise<string> => print(...binding, '-o', 'jsonpath={.metadata.uid}', '--ignore-not-found')
    const before = await uid()
    await machine.kubectl(['delete', ...system, ...binding])
    await eventually(async () => !['', before].includes(await uid()), uid)
    const kind = ['crd', 'migrationpolicies.migrations.kubevirt.io']
    await machine.kubectl(['delete', ...kind])
    await eventually(
      async () => (await machine.tryKubectl(['get', 'migrationpolicies'])).code === 0,
      () => machine.kubectl(['get', 'crd']),
    )
    const names = 'jsonpath={.spec.names.shortNames}'
    const vms = ['crd', 'virtualmachines.kubevirt.io']
    await machine.kubectl(['patch', ...vms, '--type=merge', '-p', JSON.stringify({ spec: { names: { shortNames: ['mine'] } } })])
    await eventually(
      async () => (await print(...vms, '-o', names)) === '["vm","vms"]',
      () => print(...vms, '-o', names),
    )
  })

  longTest('an unschedulable component is reported until it is scheduled', async () => {
    const condition = (type: string): string => `{.status.conditions[?(@.type=="${type}")]['status','reason','message']}`
    const status = (): Promise<string> => print('kubevirt', 'kubevirt', '-o', `jsonpath=${condition('Available')} ${condition('Degraded')}`)
    await machine.kubectl(patch({ infra: { nodePlacement: { nodeSelector: { nowhere: 'yes' } } } }))
    await eventually(
      async () => /^False ComponentsNotReady virt-controller: 0 of 1 ready.* True ComponentsNotReady/.test(await status()),
      status,
    )
    await machine.kubectl(patch({ infra: null }))
    await eventually(async () => /^True AllComponentsReady .* False AllComponentsReady/.test(await status()), status)
  })

  test('an invalid value is rejected with its path', async () => {
    const rows: readonly (readonly [object, string])[] = [
      [{ infra: { replicas: 0 } }, 'spec.infra.replicas'],
      [customize('Deployment', 'virt-api', 'json', [{ op: 'remove', path: '/spec/nothing' }]), 'spec.customizeComponents.patches[0]'],
      [{ uninstallStrategy: 'Perhaps' }, 'spec.uninstallStrategy'],
      [customize('Deployment', 'virt-api', 'merge', { spec: { replicas: 0 } }), 'without an API server nobody could change it again'],
      [
        { workloads: { nodePlacement: { tolerations: [{ key: 'a', operator: 'Bogus' }] } } },
        'spec.workloads.nodePlacement.tolerations[0].operator',
      ],
    ]
    for (const [spec, field] of rows) {
      const { code, stderr } = await machine.tryKubectl(patch(spec))
      assert.equal(code, 1, field)
      assert.ok(stderr.includes(field), stderr)
    }
  })
})
