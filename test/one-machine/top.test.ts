import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { noKubectl, type CommandResult } from '../support/kubectl.ts'
import { eventually, type TestMachine } from '../support/machine.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('steadyvm top', { skip: noKubectl }, () => {
  let machine: TestMachine
  let folder: string
  before(async () => {
    machine = await useNamespace()
    folder = await mkdtemp(join(tmpdir(), 'top-'))
    for (const name of ['first', 'second']) await machine.kubectl(['create', '-f', '-'], vmOf(name))
    await untilGuestsRun(machine, ['first', 'second'])
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await machine[Symbol.asyncDispose]()
  })

  function vmOf(name: string, runStrategy = 'Always'): string {
    const vm = JSON.parse(powerButtonVirtualMachine(machine, name, { runStrategy })) as { readonly metadata: object }
    return JSON.stringify({ ...vm, metadata: { ...vm.metadata, namespace: machine.namespace } })
  }

  const top = (...args: readonly string[]): Promise<CommandResult> => machine.steadyvm('top', ...args)
  const here = (): readonly string[] => ['-n', machine.namespace]

  /** A kubeconfig of a service account, with a role of the namespace or none. */
  async function kubeconfigOf(account: string, role?: string): Promise<string> {
    await machine.kubectl(['create', 'serviceaccount', account])
    if (role !== undefined)
      await machine.kubectl(['create', 'rolebinding', account, `--clusterrole=${role}`, `--serviceaccount=${machine.namespace}:${account}`])
    const token = (await machine.kubectl(['create', 'token', account])).trim()
    const config = JSON.parse(await machine.kubectl(['config', 'view', '--raw', '-o', 'json'])) as { users: { name: string }[] }
    const path = join(folder, account)
    await writeFile(path, JSON.stringify({ ...config, users: config.users.map(({ name }) => ({ name, user: { token } })) }))
    return path
  }

  test('shows what guests use, and nothing of a VM that is halted', async () => {
    await machine.kubectl(['create', '-f', '-'], vmOf('halted', 'Halted'))
    await eventually(
      async () => (await top(...here(), '-o', 'name')).stdout.split('\n').length === 3,
      async () => (await top(...here())).stdout,
    )
    const { code, stdout, stderr } = await top('vm', ...here(), '--sort-by', 'memory')
    assert.deepEqual([code, stderr], [0, ''])
    const [head = '', ...rows] = stdout.trim().split('\n')
    assert.match(head, /^NAME +CPU\(cores\) +MEMORY\(bytes\) +RX\/s +TX\/s +READ\/s +WRITE\/s$/)
    assert.deepEqual(new Set(rows.map((row) => row.split(' ', 1)[0])), new Set(['first', 'second']))
    for (const row of rows) assert.match(row, /^\S+ +\d+m +[1-9]\d*Mi /)
  })

  test('as JSON has numbers, and the guest that was named only', async () => {
    const { code, stdout, stderr } = await top('vm', 'first', ...here(), '-o', 'json')
    assert.equal(code, 0, stderr)
    const { kind, items } = JSON.parse(stdout) as { kind: string; items: { name: string; node: string; usage: Record<string, number> }[] }
    assert.deepEqual([kind, items.map(({ name }) => name)], ['VirtualMachineUsageList', ['first']])
    const { cores = -1, residentBytes = 0, domainBytes = 0 } = items[0]?.usage ?? {}
    assert.ok(cores >= 0 && cores < 64 && residentBytes > 1_000_000 && domainBytes > 1_000_000, stdout)
    assert.equal((await top('vm', 'absent', ...here())).code, 1)
  })

  test('adds the guests of each node up', async () => {
    const { code, stdout, stderr } = await top('node')
    assert.equal(code, 0, stderr)
    const [head = '', ...rows] = stdout.trim().split('\n')
    assert.match(head, /^NAME +GUESTS +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\) /)
    const guests = rows.reduce((sum, row) => sum + Number(row.split(/ +/)[1]), 0)
    assert.ok(guests >= 2, stdout)
  })

  test('takes the right that viewers of a namespace have, and names it to those without', async () => {
    const viewer = await top(...here(), '--kubeconfig', await kubeconfigOf('viewer', 'view'))
    assert.deepEqual([viewer.code, viewer.stderr], [0, ''])
    assert.match(viewer.stdout, /^first /m)
    const nodes = await top('node', '--kubeconfig', join(folder, 'viewer'))
    assert.equal(nodes.code, 1)
    await machine.kubectl(['create', 'role', 'lists', '--verb=list', '--resource=virtualmachineinstances.kubevirt.io'])
    const lister = await kubeconfigOf('lister')
    await machine.kubectl(['create', 'rolebinding', 'lists', '--role=lists', `--serviceaccount=${machine.namespace}:lister`])
    const refused = await top(...here(), '--kubeconfig', lister)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /virtualmachineinstances\/usage/)
  })
})
