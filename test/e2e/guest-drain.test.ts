import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository, startMachine, textAt, type TestMachine } from '../support/machine.ts'

suite('kubectl drain and guests', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await machine.kubectl(['apply', '-f', join(repository, 'examples')])
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

  test('a guest that may be stopped powers off, and comes back on the other node', async () => {
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

  test('a guest that must not be stopped and cannot be moved stays, and drain says why', async () => {
    const { spec } = await machine.getJson('vm', 'demo')
    const template = { ...spec?.['template'], spec: { ...spec?.['template']?.['spec'], evictionStrategy: 'LiveMigrate' } }
    const firm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'firm' }, spec: { ...spec, template } }
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(firm))
    await machine.kubectl(['wait', 'vm/firm', '--for=condition=Ready', '--timeout=60s'])
    await eventually(async () => (await budgets()) === '0', budgets)
    const [uid, node] = [textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), await nodeOf('firm')]
    const { code, stderr } = await drain('firm', node, '--timeout=7s')
    assert.notEqual(code, 0)
    assert.match(stderr, /will retry after 5s.*VMI firm is configured with an eviction strategy but is not live-migratable/)
    assert.equal(textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), uid)
    await machine.kubectl(['uncordon', node])
  })

  test('while the webhook is away, its budget refuses in its place', async () => {
    const [uid, node] = [textAt(await machine.getJson('vmi', 'firm'), 'metadata.uid'), await nodeOf('firm')]
    await machine.kubectl(['delete', 'validatingwebhookconfiguration', 'virt-api-validator'])
    const { code, stderr } = await drain('firm', node, '--timeout=7s')
    assert.notEqual(code, 0)
    assert.match(stderr, /will retry after 5s.*disruption budget/)
    const vmi = await machine.getJson('vmi', 'firm')
    assert.deepEqual([textAt(vmi, 'metadata.uid'), textAt(vmi, 'status.phase')], [uid, 'Running'])
    await machine.kubectl(['uncordon', node])
  })
})
