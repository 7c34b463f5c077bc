import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'

const kinds = 'vmcf,vmcp'
const managed = 'app.kubernetes.io/managed-by=virt-operator'

suite('the system manages the catalogue of instance types', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const names = async (selector: string = managed): Promise<string[]> =>
    (await machine.kubectl(['get', kinds, '-l', selector, '-o', 'name'])).split('\n').filter((name) => name !== '')
  const deploy = (enabled: boolean): Promise<string> => {
    const patch = { spec: { configuration: { commonInstancetypesDeployment: { enabled } } } }
    return machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify(patch)])
  }
  const complete = async (): Promise<boolean> => (await names()).length > 100
  const versionsOf = (): Promise<string> => machine.kubectl(['get', kinds, '-o', 'jsonpath={.items[*].metadata.resourceVersion}'])

  test('it exists soon after the start, and label selectors find types by their properties', async () => {
    await eventually(complete, async () => (await names()).join(' '))
    const four = await names('instancetype.kubevirt.io/cpu=4,instancetype.kubevirt.io/memory=16Gi')
    assert.ok(four.includes('virtualmachineclusterinstancetype.instancetype.kubevirt.io/u1.xlarge'), four.join(' '))
    const windows = await names('instancetype.kubevirt.io/os-type=windows')
    assert.ok(
      windows.some((name) => name.endsWith('/windows.11.virtio')),
      windows.join(' '),
    )
  })

  test('a VM gets its size from it', async () => {
    const vm = JSON.parse(demoVirtualMachine('sized', { runStrategy: 'Halted', instancetype: 'u1.nano' })) as { spec: object }
    const spec = { ...vm.spec, instancetype: { name: 'u1.nano' }, preference: { name: 'linux' } }
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify({ ...vm, spec }))
    const path = 'status.instancetypeRef.controllerRevisionRef.name'
    const revision = async (): Promise<string> => textAt(await machine.getJson('vm', 'sized'), path)
    await eventually(async () => (await revision()).startsWith('sized-u1.nano-v1beta1-'), revision)
  })

  test('a VM that was captured from the catalogue of an earlier release keeps its hardware, and plan shows a refresh', async () => {
    // `linux` of that catalogue, which now is as in KubeVirt's.
    const spec = {
      cpu: { preferredCPUTopology: 'sockets' },
      devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio', preferredRng: {} },
      preferredTerminationGracePeriodSeconds: 180,
      requirements: { cpu: { guest: 1 }, memory: { guest: '128Mi' } },
    }
    const [kind, revision] = ['VirtualMachineClusterPreference', 'kept-linux-1']
    const captured = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: revision,
        labels: {
          'instancetype.kubevirt.io/object-kind': kind,
          'instancetype.kubevirt.io/object-name': 'linux',
          'instancetype.kubevirt.io/object-version': 'v1beta1',
        },
      },
      revision: 0,
      data: { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind, metadata: { name: 'linux', uid: randomUUID() }, spec },
    }
    const demo = demoVirtualMachine('kept', { runStrategy: 'Always', instancetype: 'u1.nano' })
    const vm = JSON.parse(editGuest(demo, (guest) => ({ ...guest, terminationGracePeriodSeconds: undefined }))) as { spec: object }
    const preference = { name: 'linux', revisionName: revision }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(captured))
    await machine.kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ ...vm, spec: { ...vm.spec, instancetype: { name: 'u1.nano' }, preference } }),
    )
    await machine.kubectl(['wait', 'vm/kept', '--for=condition=Ready', '--timeout=90s'])
    const seconds = async (): Promise<string> => textAt(await machine.getJson('vmi', 'kept'), 'spec.terminationGracePeriodSeconds')
    assert.equal(await seconds(), '180')
    const { code, stdout, stderr } = await machine.steadyvm('plan', '--refresh', 'kept')
    assert.equal(code, 2, stderr)
    assert.match(stdout, /terminationGracePeriodSeconds +180 → none +VirtualMachineClusterPreference linux/)
    await machine.kubectl(['delete', 'vm', 'kept'])
  })

  test('edits are reverted and reported, deletions undone, extras removed; foreign objects stay', async () => {
    const type = (name: string, labels: object): string =>
      JSON.stringify({
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClusterInstancetype',
        metadata: { name, labels },
        spec: { cpu: { guest: 7 }, memory: { guest: '7Gi' } },
      })
    await machine.kubectl(['create', '-f', '-'], type('mine', {}))
    await machine.kubectl(['create', '-f', '-'], type('u1.extra', { 'app.kubernetes.io/managed-by': 'virt-operator' }))
    const edit = await machine.tryKubectl(['patch', 'vmcf', 'u1.medium', '--type=merge', '-p', '{"spec":{"cpu":{"guest":7}}}'])
    assert.ok(edit.code === 0 && edit.stderr.includes('Warning: u1.medium belongs to the catalogue of the system'), edit.stderr)
    await machine.kubectl(['label', 'vmcp', 'fedora', 'app.kubernetes.io/managed-by-'])
    await machine.kubectl(['label', 'vmcp', 'fedora', 'team=a'])
    await machine.kubectl(['delete', 'vmcf', 'u1.large'])
    const cpus = async (): Promise<string> => textAt(await machine.getJson('vmcf', 'u1.medium'), 'spec.cpu.guest')
    await eventually(async () => (await cpus()) === '1', cpus)
    const list = async (): Promise<string> => (await names()).join(' ')
    await eventually(
      async () => /\/u1\.large\b/.test(await list()) && !/u1\.extra/.test(await list()) && /\/fedora\b/.test(await list()),
      list,
    )
    assert.equal(textAt(await machine.getJson('vmcf', 'mine'), 'spec.cpu.guest'), '7')
    assert.equal(textAt(await machine.getJson('vmcp', 'fedora'), 'metadata.labels.team'), '')
    const told = (): Promise<string> => machine.kubectl(['events', '-A', '--for', 'virtualmachineclusterinstancetype/u1.medium'])
    await eventually(async () => (await told()).includes('Restored'), told)
  })

  test('nothing is written without a difference, also after a restart', async () => {
    const before = await versionsOf()
    await machine.restartComponents()
    // Is undone only when everything that was there has been looked at.
    await machine.kubectl(['delete', 'vmcf', 'd1.nano'])
    await eventually(complete, versionsOf)
    const back = async (): Promise<boolean> => (await names()).some((name) => name.endsWith('/d1.nano'))
    await eventually(back, versionsOf)
    const after = new Set((await versionsOf()).split(' '))
    assert.equal(before.split(' ').filter((version) => !after.has(version)).length, 1)
  })

  test('all of it is deleted when it is disabled, except captured revisions, and recreated when it is enabled', async () => {
    await deploy(false)
    await eventually(
      async () => (await names()).length === 0,
      async () => (await names()).join(' '),
    )
    assert.equal(textAt(await machine.getJson('vmcf', 'mine'), 'spec.cpu.guest'), '7')
    await machine.kubectl(['patch', 'vm', 'sized', '--type=merge', '-p', '{"spec":{"runStrategy":"Always"}}'])
    const memory = (): Promise<string> => machine.kubectl(['get', 'vmi', '-o', 'jsonpath={.items[*].spec.domain.memory.guest}'])
    await eventually(async () => (await memory()) === '512Mi', memory)
    await machine.kubectl(['wait', 'vm', 'sized', '--for=condition=Ready', '--timeout=90s'])
    await deploy(true)
    await eventually(complete, async () => (await names()).join(' '))
  })
})
