import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository, type TestMachine } from '../support/machine.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('steadyvm events', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => void (machine = await useNamespace()))
  after(() => machine[Symbol.asyncDispose]())

  function vmOf(name: string): string {
    const vm = JSON.parse(powerButtonVirtualMachine(machine, name)) as { readonly metadata: object }
    return JSON.stringify({ ...vm, metadata: { ...vm.metadata, namespace: machine.namespace } })
  }
  const reasonsOf = (text: string): string[] =>
    text
      .trim()
      .split('\n')
      .map((line) => {
        const { object, reason } = JSON.parse(line) as { object: { kind: string; name: string }; reason: string }
        return `${object.kind}/${object.name} ${reason}`
      })

  test('follows a VM from its creation on, and ends by Ctrl-C', async () => {
    const args = ['events', '--watch', '--for', 'vm/told', '-n', machine.namespace, '-o', 'json']
    const child = spawn(join(repository, 'bin', 'steadyvm'), args, { env: machine.env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [printed, failed] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (failed += text))
    for (const name of ['told', 'other']) await machine.kubectl(['create', '-f', '-'], vmOf(name))
    await untilGuestsRun(machine, ['told', 'other'])
    const wanted = ['VirtualMachine/told SuccessfulCreate', 'VirtualMachineInstance/told Started', 'VirtualMachine/told Ready=True']
    await eventually(
      () => wanted.every((reason) => printed.includes('\n') && reasonsOf(printed.slice(0, printed.lastIndexOf('\n'))).includes(reason)),
      () => printed + failed,
      60_000,
    )
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    assert.deepEqual([await ended, failed], [[0, null], ''])
    const reasons = reasonsOf(printed)
    assert.ok(
      reasons.every((reason) => reason.includes('/told ')),
      printed,
    )
    assert.equal(new Set(printed.trim().split('\n')).size, reasons.length, `a line came twice: ${printed}`)
  })

  test('shows what has occurred, in order', async () => {
    const { code, stdout, stderr } = await machine.steadyvm('events', '-n', machine.namespace, '--types', 'normal,condition')
    assert.deepEqual([code, stderr], [0, ''])
    const [head = '', ...rows] = stdout.trim().split('\n')
    assert.match(head, /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/)
    assert.ok(
      rows.some((row) => /Condition +Ready=True +VirtualMachine\/other/.test(row)),
      stdout,
    )
    assert.ok(
      rows.some((row) => /Normal +Started +VirtualMachineInstance\/other/.test(row)),
      stdout,
    )
    assert.ok(
      rows.every((row) => !/ Warning /.test(row)),
      stdout,
    )
  })

  test('of the installation are in its namespace', async () => {
    const { stdout } = await machine.steadyvm('events', '-n', 'kubevirt', '--types', 'Condition', '-o', 'json')
    const { items } = JSON.parse(stdout) as { items: { object: { kind: string }; reason: string; time: string }[] }
    assert.ok(
      items.some(({ object, reason }) => object.kind === 'KubeVirt' && reason === 'Available=True'),
      stdout,
    )
    assert.deepEqual(
      items.map(({ time }) => time),
      items.map(({ time }) => time).toSorted((a, b) => Date.parse(a) - Date.parse(b)),
    )
  })
})
