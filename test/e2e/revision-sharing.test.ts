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
  const clone = (target: string, source: string): Promise<string> => {
    const vmCalled = (name: string): object => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name })
    const spec = { source: vmCalled(source), target: vmCalled(target) }
    return apply({ apiVersion: 'clone.kubevirt.io/v1beta1', kind: 'VirtualMachineClone', metadata: { name: target }, spec })
  }
  const gate = (featureGates: string[]): Promise<string> => {
    const body = JSON.stringify({ spec: { configuration: { developerConfiguration: { featureGates } } } })
    return machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', body])
  }
  /** Returns the names of all revisions of instance types and preferences. */
  const pins = async (): Promise<string[]> => {
    const names = (await list('controllerrevisions')).map((revision) => textAt(revision, 'metadata.name'))
    return names.filter((name) => !name.startsWith('revision-start-vm-'))
  }
  const revisionOf = async (name: string): Promise<string> =>
    textAt(await machine.getJson('vm', name), 'status.instancetypeRef.controllerRevisionRef.name')
  /** Returns the state of the running guest that must not change. */
  const runningGuest = async (): Promise<readonly string[]> => {
    const vmi = await machine.getJson('vmi', 'running')
    const qemus = machine.guests().map(({ process }) => String(process.pid))
    return [textAt(vmi, 'metadata.uid'), textAt(vmi, 'metadata.creationTimestamp'), ...qemus]
  }
  const restartRequired = (): Promise<string> =>
    machine.kubectl(['get', 'vm', 'running', '-o', 'jsonpath={.status.conditions[?(@.type=="RestartRequired")].status}'])
  const describe = (): Promise<string> => machine.kubectl(['get', 'controllerrevisions,vm', '-o', 'yaml'])

  test('have one revision per content after the gate is enabled, and their guests keep running', async () => {
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

  test('can switch their instance type and roll back', async () => {
    const revision = (): Promise<string> => revisionOf('a')
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

  test('share them with their snapshots and with VMs restored from these', async () => {
    const machineRef = (name: string): object => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name })
    const version = 'snapshot.kubevirt.io/v1beta1'
    const spec = { virtualMachineSnapshotName: 'first', target: machineRef('restored') }
    await apply({ apiVersion: version, kind: 'VirtualMachineSnapshot', metadata: { name: 'first' }, spec: { source: machineRef('b') } })
    await machine.kubectl(['wait', 'vmsnapshot/first', '--for=jsonpath={.status.readyToUse}=true', '--timeout=60s'])
    await apply({ apiVersion: version, kind: 'VirtualMachineRestore', metadata: { name: 'back' }, spec })
    await machine.kubectl(['wait', 'vmrestore/back', '--for=jsonpath={.status.complete}=true', '--timeout=60s'])
    const revision = await revisionOf('b')
    assert.match(revision, /^shared-one-/)
    assert.equal(await revisionOf('restored'), revision)
    const contents = await list('vmsnapshotcontent')
    const named = contents.map((content) => textAt(content, 'spec.source.virtualMachine.spec.instancetype.revisionName'))
    assert.deepEqual(named, [revision])
    // What the VM had before it was switched, and two for all.
    assert.equal((await pins()).length, 3)
    await machine.kubectl(['patch', 'vm', 'b', '--type=merge', '-p', JSON.stringify({ spec: { instancetype: { name: 'two' } } })])
    await eventually(async () => (await revisionOf('b')).startsWith('shared-two-'), describe)
    const again = { virtualMachineSnapshotName: 'first', target: machineRef('b') }
    await apply({ apiVersion: version, kind: 'VirtualMachineRestore', metadata: { name: 'again' }, spec: again })
    await machine.kubectl(['wait', 'vmrestore/again', '--for=jsonpath={.status.complete}=true', '--timeout=60s'])
    assert.equal(await revisionOf('b'), revision)
    const { stdout } = await machine.steadyvm('rollout', 'history', 'vm/b')
    assert.match(stdout, /^instancetype +2 +two /m, 'the restore can be undone')
  })

  test('share them with their clones, without leftovers of the clone operation', async () => {
    const before = await pins()
    await clone('twin', 'b')
    await machine.kubectl(['wait', 'vmclone/twin', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s'])
    assert.equal(await revisionOf('twin'), await revisionOf('b'))
    assert.deepEqual(await pins(), before)
    const between = async (): Promise<string[]> => {
      const names = [...(await list('vmsnapshot')), ...(await list('vmrestore'))].map((object) => textAt(object, 'metadata.name'))
      return names.filter((name) => name.startsWith('tmp-'))
    }
    await eventually(async () => (await between()).length === 0, describe)
  })

  test('leave no unreferenced revisions behind, and lose no referenced one', async () => {
    const metadata = { labels: { 'steadyvm.io/shared': 'true' }, annotations: { 'steadyvm.io/claimed-at': '2020-01-01T00:00:00Z' } }
    const named = await revisionOf('b')
    await machine.kubectl(['annotate', 'controllerrevision', named, 'steadyvm.io/claimed-at=2020-01-01T00:00:00Z', '--overwrite'])
    // Of a deleted VM. A revision of another user that has the label stays.
    const captured = JSON.parse(await machine.kubectl(['get', 'controllerrevision', named, '-o', 'json'])) as {
      metadata: { name: string; labels: Record<string, string> }
    }
    const name = `${named.slice(0, -4)}${named.endsWith('0000') ? '1111' : '0000'}`
    const left = { ...captured, metadata: { ...metadata, name, labels: captured.metadata.labels } }
    const foreign = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'not-ours', ...metadata },
      data: {},
      revision: 0,
    }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [foreign, left] }))
    await eventually(async () => !(await pins()).includes(name), describe)
    assert.ok((await pins()).includes('not-ours'))
    assert.ok((await pins()).includes(named))
  })

  test('have their own revisions again after the gate is disabled, also VMs that are being cloned, and their guests keep running', async () => {
    await clone('late', 'running')
    await gate([])
    await machine.kubectl(['wait', 'vmclone/late', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s'])
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
