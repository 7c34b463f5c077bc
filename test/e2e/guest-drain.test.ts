// Takes longer than 45 s: it drains real guests in three ways.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { longTest } from '../support/effort.ts'
import { noKubectl } from '../support/kubectl.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'

suite('kubectl drain and guests', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'demo'))
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=60s'])
  })
  after(() => machine[Symbol.asyncDispose]())

  const nodeOf = async (name: string): Promise<string> => textAt(await machine.getJson('vmi', name), 'status.nodeName')
  const drain = (vm: string, node: string, ...args: string[]) =>
    machine.tryKubectl([
      'drain',
      node,
      '--ignore-daemonsets',
      '--force',
      '--delete-emptydir-data',
      `--pod-selector=vm.kubevirt.io/name=${vm}`,
      ...args,
    ])
  const budgets = async (): Promise<string> => machine.kubectl(['get', 'pdb', '-o', 'jsonpath={.items[*].status.disruptionsAllowed}'])

  /** Creates a VM like the first one, whose guest must not be stopped by an eviction. */
  const start = async (name: string, devices: object = {}, more: object = {}): Promise<void> => {
    const { spec } = await machine.getJson('vm', 'demo')
    const guest = spec?.['template']?.['spec']
    const domain = { ...guest?.['domain'], devices: { ...guest?.['domain']?.['devices'], ...devices } }
    const template = { ...spec?.['template'], spec: { ...guest, domain, ...more, evictionStrategy: 'LiveMigrate' } }
    const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name }, spec: { ...spec, template } }
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(vm))
    await machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=60s'])
  }

  test('a guest that may be stopped is powered off, and starts on the other node', async () => {
    const from = await nodeOf('demo')
    const { code, stderr } = await drain('demo', from, '--timeout=60s')
    assert.equal(code, 0, stderr)
    await eventually(
      async () => !['', from].includes(await nodeOf('demo').catch(() => '')),
      () => machine.kubectl(['get', 'vm,vmi,pods', '-o', 'wide']),
    )
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=60s'])
    assert.equal(await budgets(), '')
    await machine.kubectl(['uncordon', from])
  })

  test('a guest that must not be stopped is migrated, and drain succeeds', async () => {
    await start('mover')
    const [uid, from] = [textAt(await machine.getJson('vmi', 'mover'), 'metadata.uid'), await nodeOf('mover')]
    const { code, stderr } = await drain('mover', from, '--timeout=120s')
    assert.equal(code, 0, stderr)
    // The first answer, and not the last of eleven in a row.
    assert.match(stderr, /will retry after 5s.*the request: Eviction triggered evacuation of VMI "default\/mover"/)
    const vmi = await machine.getJson('vmi', 'mover')
    assert.deepEqual([textAt(vmi, 'metadata.uid'), textAt(vmi, 'status.phase')], [uid, 'Running'])
    assert.notEqual(textAt(vmi, 'status.nodeName'), from)
    await eventually(
      async () => textAt(await machine.getJson('vmi', 'mover'), 'status.evacuationNodeName') === '',
      () => 'the guest is still to leave a node that it has left',
    )
    await machine.kubectl(['uncordon', from])
    await machine.kubectl(['delete', 'vm', 'mover', '--wait=false'])
  })

  test('a guest that must not be stopped and cannot be migrated stays, and drain shows the reason', async () => {
    await start('firm', { interfaces: [{ name: 'pod', bridge: {} }] }, { networks: [{ name: 'pod', pod: {} }] })
    await eventually(async () => /^0( 0)?$/.test(await budgets()), budgets)
    const [uid, node] = [textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), await nodeOf('firm')]
    const { code, stderr } = await drain('firm', node, '--timeout=7s')
    assert.notEqual(code, 0)
    assert.match(stderr, /will retry after 5s.*VMI firm is configured with an eviction strategy but is not live-migratable/)
    assert.equal(textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), uid)
    await machine.kubectl(['uncordon', node])
  })

  test('a PodDisruptionBudget of its owner causes a warning', async () => {
    const made = await machine.tryKubectl(['create', 'pdb', 'mine', '--selector=vm.kubevirt.io/name=firm', '--max-unavailable=1'])
    assert.match(made.stderr, /Warning: VMI firm must not be stopped by an eviction and has a budget of its own/)
    await machine.kubectl(['delete', 'pdb', 'mine'])
  })

  test('a PodDisruptionBudget of an older controller is deleted', async () => {
    const firm = await machine.getJson('vmi', 'firm')
    const [uid, name] = [textAt(firm, 'metadata.uid'), textAt(firm, 'metadata.name')]
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name, uid, controller: true }
    const old = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'kubevirt-disruption-budget-x7k2p', ownerReferences: [owner] },
      spec: { minAvailable: 1, selector: { matchLabels: { 'kubevirt.io/created-by': uid } } },
    }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(old))
    await machine.kubectl(['wait', `pdb/${old.metadata.name}`, '--for=delete', '--timeout=20s'])
    assert.match(await machine.kubectl(['get', 'pdb', '-o', 'name']), new RegExp(`/kubevirt-disruption-budget-${uid}`))
  })

  longTest('while virt-api hangs, the PodDisruptionBudget refuses the eviction', async () => {
    const [uid, node] = [textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), await nodeOf('firm')]
    const apis = machine.processes().filter(({ role }) => role === 'virt-api')
    assert.ok(apis.length > 0)
    for (const api of apis) signalProcess(api, 'SIGSTOP')
    const { code, stderr } = await drain('firm', node, '--timeout=25s')
    for (const api of apis) signalProcess(api, 'SIGCONT')
    assert.notEqual(code, 0)
    assert.match(stderr, /will retry after 5s.*disruption budget/)
    const vmi = await machine.getJson('vmi', 'firm')
    assert.deepEqual([textAt(vmi, 'metadata.uid'), textAt(vmi, 'status.phase')], [uid, 'Running'])
    await machine.kubectl(['uncordon', node])
  })

  longTest('without the webhook, the PodDisruptionBudget refuses the eviction', async () => {
    const [uid, node] = [textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), await nodeOf('firm')]
    // The operator would put it back at once.
    const operators = machine.processes().filter(({ role }) => role === 'virt-operator')
    for (const operator of operators) signalProcess(operator, 'SIGSTOP')
    await machine.kubectl(['delete', 'validatingwebhookconfiguration', 'virt-api-validator'])
    const { code, stderr } = await drain('firm', node, '--timeout=7s')
    for (const operator of operators) signalProcess(operator, 'SIGCONT')
    assert.notEqual(code, 0)
    assert.match(stderr, /will retry after 5s.*disruption budget/)
    const vmi = await machine.getJson('vmi', 'firm')
    assert.deepEqual([textAt(vmi, 'metadata.uid'), textAt(vmi, 'status.phase')], [uid, 'Running'])
    await machine.kubectl(['uncordon', node])
  })
})
