import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'

/** Manifests of an instance type, a VM and its snapshots, as users would write them. */
function instancetype(name: string, guest: number, memory: string): object {
  const spec = { cpu: { guest }, memory: { guest: memory } }
  return { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachineInstancetype', metadata: { name }, spec }
}

function vm(name: string, type: string, runStrategy = 'Halted', volumes?: object[]): object {
  const devices = { autoattachGraphicsDevice: false, autoattachPodInterface: false }
  const template = { spec: { domain: { devices }, terminationGracePeriodSeconds: 0, ...(volumes === undefined ? {} : { volumes }) } }
  const spec = { runStrategy, instancetype: { name: type, kind: 'VirtualMachineInstancetype' }, template }
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name }, spec }
}

const machineRef = (name: string): object => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name })

function snapshot(name: string, of: string, extra: object = {}): object {
  return {
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineSnapshot',
    metadata: { name },
    spec: { source: machineRef(of), ...extra },
  }
}

function restore(name: string, from: string, to: string, extra: object = {}): object {
  return {
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineRestore',
    metadata: { name },
    spec: { virtualMachineSnapshotName: from, target: machineRef(to), ...extra },
  }
}

suite('snapshots of VMs', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (object: object): Promise<string> => machine.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const wait = (what: string, path: string): Promise<string> => machine.kubectl(['wait', what, `--for=jsonpath=${path}`, '--timeout=60s'])
  const at = async (what: string, path: string): Promise<string> => textAt(await machine.getJson(...what.split('/')), path)
  const refused = async (object: object): Promise<string> => {
    const { code, stderr } = await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(object))
    assert.equal(code, 1)
    return stderr
  }
  const guestOf = async (name: string): Promise<string[]> => {
    const { spec } = JSON.parse(
      await machine.kubectl(['get', '--raw', `/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/${name}/expand-spec`]),
    )
    return [String(spec.template.spec.domain.cpu.sockets), spec.template.spec.domain.memory.guest as string]
  }
  const gate = (featureGates: string[]): Promise<string> => {
    const body = JSON.stringify({ spec: { configuration: { developerConfiguration: { featureGates } } } })
    return machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', body])
  }
  const contentOf = (name: string): Promise<string> => at(`vmsnapshot/${name}`, 'status.virtualMachineSnapshotContentName')
  const revisionOf = async (name: string): Promise<string> =>
    at(`vmsnapshotcontent/${await contentOf(name)}`, 'spec.source.virtualMachine.spec.instancetype.revisionName')

  test('of a halted VM restores it, also when its instance type was deleted', async () => {
    await apply(instancetype('small', 1, '48Mi'))
    await apply(vm('halted', 'small'))
    await wait('vm/halted', '{.status.instancetypeRef.controllerRevisionRef.name}')
    await apply(snapshot('first', 'halted'))
    await wait('vmsnapshot/first', '{.status.readyToUse}=true')
    await machine.kubectl(['delete', 'vminstancetype', 'small'])
    await apply(instancetype('large', 3, '64Mi'))
    await machine.kubectl(['patch', 'vm', 'halted', '--type=merge', '-p', '{"spec":{"instancetype":{"name":"large"}}}'])
    await wait('vm/halted', '{.status.instancetypeRef.name}=large')
    await apply(restore('first-back', 'first', 'halted'))
    await wait('vmrestore/first-back', '{.status.complete}=true')
    assert.deepEqual(await guestOf('halted'), ['1', '48Mi'])
    assert.equal(await at('vm/halted', 'spec.instancetype.revisionName'), '')
  })

  test('of a running VM captures its guest, and restores to a new running VM', async () => {
    await apply(instancetype('medium', 2, '48Mi'))
    await apply(vm('running', 'medium', 'Always'))
    await wait('vm/running', '{.status.printableStatus}=Running')
    // Waits for a restart, and so is no part of the guest.
    await machine.kubectl([
      'patch',
      'vm',
      'running',
      '--type=merge',
      '-p',
      '{"spec":{"instancetype":{"name":"large"},"template":{"spec":{"domain":{"devices":{"rng":{}}}}}}}',
    ])
    await eventually(
      async () =>
        (await machine.kubectl(['get', 'vm', 'running', '-o', 'jsonpath={.status.conditions[*].type}'])).includes('RestartRequired'),
      () => machine.kubectl(['get', 'vm', 'running', '-o', 'yaml']),
    )
    await apply(snapshot('second', 'running'))
    await wait('vmsnapshot/second', '{.status.readyToUse}=true')
    assert.match(await machine.kubectl(['get', 'vmsnapshot', 'second', '-o', 'jsonpath={.status.indications}']), /Online/)
    await machine.kubectl(['delete', 'vminstancetype', 'medium'])
    await apply(restore('second-back', 'second', 'twin'))
    await wait('vmrestore/second-back', '{.status.complete}=true')
    await machine.kubectl(['patch', 'vm', 'twin', '--type=merge', '-p', '{"spec":{"runStrategy":"Always"}}'])
    await wait('vm/twin', '{.status.printableStatus}=Running')
    assert.equal(await at('vmi/twin', 'spec.domain.cpu.sockets'), '2')
    assert.equal(await at('vm/running', 'status.printableStatus'), 'Running')
  })

  test('restores a running VM after it is stopped', async () => {
    await apply(restore('waits', 'second', 'running', { targetReadinessPolicy: 'WaitEventually' }))
    await wait('vmrestore/waits', '{.status.complete}=false')
    assert.equal(await at('vm/running', 'status.restoreInProgress'), '')
    await machine.kubectl(['patch', 'vm', 'running', '--type=merge', '-p', '{"spec":{"runStrategy":"Halted"}}'])
    await wait('vmrestore/waits', '{.status.complete}=true')
    assert.deepEqual(await guestOf('running'), ['2', '48Mi'])
  })

  test('can be cloned with patches', async () => {
    const patches = ['{"op":"add","path":"/metadata/labels","value":{"is":"clone"}}']
    await apply({
      apiVersion: 'clone.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClone',
      metadata: { name: 'make' },
      spec: { source: machineRef('halted'), target: machineRef('cloned'), patches },
    })
    await wait('vmclone/make', '{.status.phase}=Succeeded')
    assert.deepEqual(await guestOf('cloned'), ['1', '48Mi'])
    assert.equal(await at('vm/cloned', 'metadata.labels.is'), 'clone')
    await eventually(
      async () => !(await machine.kubectl(['get', 'vmsnapshot,vmrestore', '-o', 'name'])).includes('tmp-'),
      () => machine.kubectl(['get', 'vmsnapshot,vmrestore', '-o', 'yaml']),
    )
  })

  test('report disks that they do not include', async () => {
    // Its claim does not exist.
    await apply(vm('with-data', 'large', 'Halted', [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]))
    await wait('vm/with-data', '{.status.instancetypeRef.controllerRevisionRef.name}')
    await apply(snapshot('partial', 'with-data'))
    await wait('vmsnapshot/partial', '{.status.readyToUse}=true')
    const told = await machine.kubectl([
      'get',
      'vmsnapshot',
      'partial',
      '-o',
      'jsonpath={.status.indications} {.status.snapshotVolumes.excludedVolumes}',
    ])
    assert.equal(told, '["PartialSnapshot"] ["data"]')
  })

  test('are upgraded, and can be restored afterwards', async () => {
    const old = await revisionOf('first')
    const content = await contentOf('first')
    for (const [gates, name] of [
      [['InstancetypeV1'], /^first-small-v1-/],
      [['SharedRevisions'], /^shared-small-v1beta1-/],
      [[], /^first-small-v1beta1-/],
    ] as const) {
      await gate([...gates])
      await eventually(
        async () => name.test(await revisionOf('first')),
        () => machine.kubectl(['get', 'vmsnapshotcontent', content, '-o', 'yaml']),
      )
    }
    assert.equal(await revisionOf('first'), old)
    // As the oldest KubeVirt has stored it: the spec alone, in a name format that is no longer
    // used.
    const spec = Buffer.from(JSON.stringify({ cpu: { guest: 4 }, memory: { guest: '80Mi' } })).toString('base64')
    const metadata = { name: 'first-small-of-old' }
    await apply({ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data: { apiVersion: '', spec }, revision: 0 })
    const patch = [{ op: 'replace', path: '/spec/source/virtualMachine/spec/instancetype/revisionName', value: 'first-small-of-old' }]
    await machine.kubectl(['patch', 'vmsnapshotcontent', content, '--type=json', '-p', JSON.stringify(patch)])
    await eventually(
      async () => (await revisionOf('first')) !== 'first-small-of-old',
      () => machine.kubectl(['get', 'controllerrevision,event', '-o', 'wide']),
    )
    // Nothing proves that a controller has captured it, so it is copied and left alone.
    await machine.kubectl(['get', 'controllerrevision', 'first-small-of-old'])
    await apply(restore('after-upgrade', 'first', 'halted'))
    await wait('vmrestore/after-upgrade', '{.status.complete}=true')
    assert.deepEqual(await guestOf('halted'), ['4', '80Mi'])
  })

  test('are rejected if they are impossible, and are immutable', async () => {
    assert.match(
      await refused(snapshot('bad', 'halted', { source: { apiGroup: 'apps', kind: 'VirtualMachine', name: 'halted' } })),
      /spec\.source\.apiGroup/,
    )
    assert.match(await refused(snapshot('bad', 'halted', { failureDeadline: 'soon' })), /spec\.failureDeadline/)
    const { code } = await machine.tryKubectl([
      'patch',
      'vmsnapshot',
      'first',
      '--type=merge',
      '-p',
      '{"spec":{"deletionPolicy":"Retain"}}',
    ])
    assert.equal(code, 1)
    const columns = await machine.kubectl(['get', 'vmsnapshot', 'first'])
    assert.match(columns, /NAME +SOURCEKIND +SOURCENAME +PHASE +READYTOUSE +CREATIONTIME +ERROR/)
  })

  test('are deleted with all of their objects', async () => {
    await machine.kubectl(['delete', 'vmsnapshot', '--all'])
    await machine.kubectl(['delete', 'vmrestore', '--all'])
    await eventually(
      async () =>
        !/VirtualMachineSnapshot/.test(
          await machine.kubectl(['get', 'controllerrevision', '-o', 'jsonpath={.items[*].metadata.ownerReferences[*].kind}']),
        ),
      () => machine.kubectl(['get', 'controllerrevision', '-o', 'yaml']),
    )
    assert.equal(await machine.kubectl(['get', 'vmsnapshotcontent', '-o', 'name']), '')
    assert.deepEqual(await guestOf('halted'), ['4', '80Mi'])
  })
})
