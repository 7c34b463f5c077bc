import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { repeats } from '../support/effort.ts'

/** VMs whose type is deleted while they are created. */
const races = repeats({ default: 5, long: 20 })

/** Manifests of an instance type, a preference and VMs, as users would write them. */
function instancetype(name: string, guest: number, memory: string, extra: object = {}): object {
  const spec = { cpu: { guest }, memory: { guest: memory }, ...extra }
  return { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachineInstancetype', metadata: { name }, spec }
}

function vm(name: string, type: string, runStrategy = 'Halted'): object {
  const template = { spec: { domain: { devices: { autoattachGraphicsDevice: false } }, terminationGracePeriodSeconds: 0 } }
  const spec = { runStrategy, instancetype: { name: type, kind: 'VirtualMachineInstancetype' }, template }
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name }, spec }
}

suite('instance types and preferences of VMs', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (object: object): Promise<string> => machine.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const merge = (name: string, patch: object): Promise<string> =>
    machine.kubectl(['patch', 'vm', name, '--type=merge', '-p', JSON.stringify(patch)])
  const at = async (name: string, path: string): Promise<string> => textAt(await machine.getJson('vm', name), path)
  const until = (name: string, path: string, wanted: string | RegExp): Promise<void> => {
    const holds = (text: string): boolean => (typeof wanted === 'string' ? text === wanted : wanted.test(text))
    return eventually(
      async () => holds(await at(name, path)),
      () => machine.kubectl(['get', 'vm', name, '-o', 'yaml']),
    )
  }
  const revision = 'status.instancetypeRef.controllerRevisionRef.name'
  const qemus = (): number[] => machine.guests().map(({ process }) => process.pid)

  test('are waited for, captured, and kept when the type changes or is deleted', async () => {
    await apply(vm('early', 'later', 'Always'))
    const reasonOf = async (): Promise<string> =>
      machine.kubectl(['get', 'vm', 'early', '-o', 'jsonpath={.status.conditions[?(@.type=="Failure")].reason}'])
    await eventually(async () => (await reasonOf()) === 'FailedFindInstancetype', reasonOf)
    assert.equal(await at('early', 'status.printableStatus'), 'Stopped')
    await apply(instancetype('later', 1, '32Mi'))
    await machine.kubectl(['wait', 'vm/early', '--for=jsonpath={.status.printableStatus}=Running', '--timeout=60s'])
    const name = await at('early', revision)
    await apply(instancetype('later', 2, '32Mi'))
    await until('early', 'status.steadyvm.instancetype.newerGeneration', '2')
    await machine.kubectl(['delete', 'vminstancetype', 'later'])
    assert.equal(await at('early', revision), name)
    assert.equal(textAt(await machine.getJson('vmi', 'early'), 'spec.domain.cpu.sockets'), '1')
  })

  test('are switched while the guest keeps running', async () => {
    await apply(instancetype('one', 1, '32Mi'))
    await apply(instancetype('two', 2, '32Mi'))
    await apply(instancetype('big', 1, '64Mi'))
    await apply(vm('mover', 'one', 'Always'))
    await machine.kubectl(['wait', 'vm/mover', '--for=jsonpath={.status.printableStatus}=Running', '--timeout=60s'])
    const before = qemus()
    await merge('mover', { spec: { instancetype: { name: 'two' } } })
    const vmi = (): Promise<KubeJson> => machine.getJson('vmi', 'mover')
    await eventually(
      async () => textAt(await vmi(), 'spec.domain.cpu.sockets') === '2',
      async () => JSON.stringify(await vmi()),
    )
    assert.equal(textAt(await vmi(), 'status.phase'), 'Running')
    await eventually(
      async () => textAt(await vmi(), 'status.currentCPUTopology.sockets') === '2',
      async () => machine.kubectl(['get', 'vm,vmi', '-o', 'yaml']),
    )
    await eventually(
      async () => (await at('mover', 'status.observedGeneration')) === (await at('mover', 'metadata.generation')),
      async () => machine.kubectl(['get', 'vm,vmi', '-o', 'yaml']),
    )
    await merge('mover', { spec: { instancetype: { name: 'big' } } })
    // `kubectl wait` would not see it: the generation that the guest has is not the VM's.
    await eventually(
      async () =>
        (await machine.kubectl(['get', 'vm', 'mover', '-o', 'jsonpath={.status.conditions[*].type}'])).includes('RestartRequired'),
      async () => machine.kubectl(['get', 'vm,vmi,controllerrevision', '-o', 'yaml']),
    )
    assert.deepEqual(qemus(), before)
  })

  test('are refreshed by removing revisionName from the spec, and rolled back by setting it', async () => {
    await apply(instancetype('fresh', 1, '32Mi'))
    await apply(vm('halted', 'fresh'))
    await until('halted', revision, /-1$/)
    const first = await at('halted', revision)
    await apply(instancetype('fresh', 4, '32Mi'))
    await merge('halted', { spec: { instancetype: { revisionName: first } } })
    await until('halted', 'status.steadyvm.instancetype.specRevisionName', first)
    await merge('halted', { spec: { instancetype: { revisionName: null } } })
    await until('halted', revision, /-2$/)
    await until('halted', 'status.steadyvm.resources.sockets', '4')
    await merge('halted', { spec: { instancetype: { revisionName: first } } })
    await until('halted', revision, first)
  })

  test('are captured completely when types are deleted while VMs are created', async () => {
    const names = Array.from({ length: races }, (_, index) => `race-${index}`)
    await Promise.all(
      names.map(async (name) => {
        await apply(instancetype(name, 1, '32Mi'))
        await Promise.all([apply(vm(name, name)), machine.kubectl(['delete', 'vminstancetype', name, '--wait=false'])])
        await apply(instancetype(name, 2, '32Mi'))
      }),
    )
    for (const name of names) {
      await until(name, revision, /./)
      const data = await machine.getJson('controllerrevision', await at(name, revision))
      assert.equal(await at(name, 'status.steadyvm.resources.sockets'), textAt(data, 'data.spec.cpu.guest'))
    }
  })

  test('do not block the deletion of a VM whose revision and type are gone (9438)', async () => {
    await apply(vm('doomed', 'one'))
    await until('doomed', revision, /./)
    await machine.kubectl(['delete', 'vminstancetype', 'one'])
    await machine.kubectl(['delete', 'controllerrevision', await at('doomed', revision)])
    await machine.kubectl(['delete', 'vm/doomed', '--timeout=30s'])
  })

  test('make no controller write a spec: neither the audit log nor managedFields show one', async () => {
    const { items } = (await machine.getJson('vm', '--show-managed-fields')) as unknown as { items: KubeJson[] }
    assert.ok(items.length > races)
    for (const { metadata } of items) {
      const entries = (metadata?.['managedFields'] ?? []) as unknown as { manager: string; subresource?: string; fieldsV1: KubeJson }[]
      for (const { manager, subresource, fieldsV1 } of entries.filter((entry) => !entry.manager.startsWith('kubectl'))) {
        if (subresource === 'status') assert.deepEqual(Object.keys(fieldsV1), ['f:status'], manager)
        else
          assert.deepEqual([Object.keys(fieldsV1), Object.keys(fieldsV1['f:metadata'] ?? {})], [['f:metadata'], ['f:finalizers']], manager)
      }
    }
    const writes = auditedWrites(machine).filter(({ username }) => username.startsWith('system:'))
    assert.ok(writes.some(({ subresource }) => subresource === 'status'))
    const perVm = Map.groupBy(
      writes.filter(({ subresource }) => subresource === ''),
      ({ name }) => name,
    )
    // Its finalizer comes and goes.
    for (const [name, own] of perVm) assert.ok(own.filter(({ code }) => code === 200).length <= 2, `${name}: ${JSON.stringify(own)}`)
  })

  test("are expanded into the VM by the cluster's policy, and the guest keeps running", async () => {
    const before = qemus()
    const configuration = { instancetype: { referencePolicy: 'expandAll' } }
    const patch = JSON.stringify({ spec: { configuration } })
    await machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', patch])
    await until('early', 'spec.template.spec.domain.cpu.sockets', '1')
    await until('early', 'status.instancetypeRef.name', '')
    const vm = await machine.getJson('vm', 'early')
    assert.equal(textAt(vm, 'spec.instancetype.name'), '')
    assert.equal(textAt(vm, 'spec.template.spec.domain.memory.guest'), '32Mi')
    assert.doesNotMatch(JSON.stringify(vm['status']?.['conditions']), /RestartRequired/)
    assert.deepEqual(qemus(), before)
  })
})

interface AuditedWrite {
  readonly username: string
  readonly name: string
  readonly subresource: string
  readonly code: number
}

/** Returns the writers of VMs, from the audit log. */
function auditedWrites(machine: TestMachine): AuditedWrite[] {
  return machine
    .auditEvents()
    .filter((event) => textAt(event, 'objectRef.resource') === 'virtualmachines' && /^(patch|update)$/.test(textAt(event, 'verb')))
    .map((event) => ({
      username: textAt(event, 'user.username'),
      name: textAt(event, 'objectRef.name'),
      subresource: textAt(event, 'objectRef.subresource'),
      code: Number(textAt(event, 'responseStatus.code')),
    }))
}
