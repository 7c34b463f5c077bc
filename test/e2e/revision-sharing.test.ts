import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'

const group = 'instancetype.kubevirt.io'
const halted = ['a', 'b', 'c', 'd']

function vm(name: string, runStrategy: string): object {
  const template = { spec: { domain: { devices: { autoattachGraphicsDevice: false } }, terminationGracePeriodSeconds: 0 } }
  const instancetype = { name: 'one', kind: 'VirtualMachineInstancetype' }
  const preference = { name: 'plain', kind: 'VirtualMachinePreference' }
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: { runStrategy, instancetype, preference, template },
  }
}

suite('VMs that share their revisions', { skip: noKubectl }, () => {
  let machine: TestMachine
  let guest: readonly string[]
  before(async () => {
    machine = await startMachine()
    const memory = { guest: '32Mi' }
    for (const guests of [1, 2]) {
      const metadata = { name: guests === 1 ? 'one' : 'two' }
      await apply({
        apiVersion: `${group}/v1beta1`,
        kind: 'VirtualMachineInstancetype',
        metadata,
        spec: { cpu: { guest: guests }, memory },
      })
    }
    await apply({ apiVersion: `${group}/v1beta1`, kind: 'VirtualMachinePreference', metadata: { name: 'plain' }, spec: {} })
    for (const name of halted) await apply(vm(name, 'Halted'))
    await apply(vm('running', 'Always'))
    await machine.kubectl(['wait', 'vm/running', '--for=jsonpath={.status.printableStatus}=Running', '--timeout=60s'])
    guest = await runningGuest()
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (object: object): Promise<string> => machine.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const list = async (resource: string): Promise<KubeJson[]> => (await machine.getJson(resource))['items'] as unknown as KubeJson[]
  const gate = (featureGates: string[]): Promise<string> => {
    const body = JSON.stringify({ spec: { configuration: { developerConfiguration: { featureGates } } } })
    return machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', body])
  }
  /** Names of all revisions that pin hardware. */
  const pins = async (): Promise<string[]> => {
    const names = (await list('controllerrevisions')).map((revision) => textAt(revision, 'metadata.name'))
    return names.filter((name) => !name.startsWith('revision-start-vm-'))
  }
  /** What nobody may notice. */
  const runningGuest = async (): Promise<readonly string[]> => {
    const vmi = await machine.getJson('vmi', 'running')
    const qemus = machine.processes().flatMap(({ pid, command }) => (command.includes('qemu-system') ? [String(pid)] : []))
    return [textAt(vmi, 'metadata.uid'), textAt(vmi, 'metadata.creationTimestamp'), ...qemus]
  }
  const restartRequired = (): Promise<string> =>
    machine.kubectl(['get', 'vm', 'running', '-o', 'jsonpath={.status.conditions[?(@.type=="RestartRequired")].status}'])
  const describe = (): Promise<string> => machine.kubectl(['get', 'controllerrevisions,vm', '-o', 'yaml'])

  test('have one for each content after the gate was switched on, and their guests go on', async () => {
    assert.equal((await pins()).length, 2 * (halted.length + 1))
    await gate(['SharedRevisions'])
    await eventually(async () => (await pins()).length === 2, describe)
    for (const revision of await list('controllerrevisions')) {
      if (!textAt(revision, 'metadata.name').startsWith('shared-')) continue
      assert.equal(revision['metadata']?.['ownerReferences'], undefined)
      assert.equal(revision['metadata']?.['labels']?.['steadyvm.io/shared'], 'true')
    }
    assert.deepEqual(await runningGuest(), guest)
    assert.equal(await restartRequired(), '')
  })

  test('are switched, and find their way back', async () => {
    const revision = async (): Promise<string> =>
      textAt(await machine.getJson('vm', 'a'), 'status.instancetypeRef.controllerRevisionRef.name')
    const first = await revision()
    await machine.kubectl(['patch', 'vm', 'a', '--type=merge', '-p', JSON.stringify({ spec: { instancetype: { name: 'two' } } })])
    await eventually(async () => (await revision()).startsWith('shared-two-'), describe)
    const { code, stdout, stderr } = await machine.steadyvm('rollout', 'history', 'vm/a')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^instancetype +1 +one /m)
    const undone = await machine.steadyvm('rollout', 'undo', 'vm/a')
    assert.equal(undone.code, 0, undone.stderr)
    await eventually(async () => (await revision()) === first, describe)
  })

  test('have their own again after the gate was switched off, and their guests go on', async () => {
    await gate([])
    await eventually(async () => {
      const vms = await list('vm')
      const names = vms.flatMap((object) =>
        ['instancetypeRef', 'preferenceRef'].map((ref) => [
          textAt(object, 'metadata.name'),
          textAt(object, `status.${ref}.controllerRevisionRef.name`),
        ]),
      )
      return names.every(([owner, name]) => name?.startsWith(`${owner}-`) === true)
    }, describe)
    assert.deepEqual(await runningGuest(), guest)
    assert.equal(await restartRequired(), '')
  })
})
