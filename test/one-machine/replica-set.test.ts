import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, type TestMachine } from '../support/machine.ts'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('a VirtualMachineInstanceReplicaSet', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    const { spec } = JSON.parse(powerButtonVirtualMachine(machine, 'web')) as { spec: { template: { spec: object } } }
    const template = { metadata: { labels: { app: 'web' } }, spec: { ...spec.template.spec, terminationGracePeriodSeconds: 0 } }
    const kind = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceReplicaSet', metadata: { name: 'web' } }
    await machine.kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ ...kind, spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template } }),
    )
  })
  after(() => machine[Symbol.asyncDispose]())

  const vmis = async (): Promise<string[]> =>
    (await machine.kubectl(['get', 'vmi', '-l', 'app=web', '-o', 'name'])).split('\n').filter(Boolean)
  const ready = (count: number): Promise<unknown> =>
    machine.kubectl(['wait', 'vmirs/web', `--for=jsonpath={.status.readyReplicas}=${count}`, '--timeout=120s'])

  test('runs as many VMIs as it asks for, also after it is scaled', async () => {
    await ready(2)
    const names = await vmis()
    assert.deepEqual([names.length, names.every((name) => /\/web[a-z0-9]{5}$/.test(name))], [2, true], names.join())
    await machine.kubectl(['scale', 'vmirs/web', '--replicas=3'])
    await ready(3)
    assert.match(await machine.kubectl(['get', 'vmirs', 'web', '--no-headers']), /^web\s+3\s+3\s+3\s/)
    await machine.kubectl(['scale', 'vmirs/web', '--replicas=1'])
    await ready(1)
    await eventually(
      async () => (await vmis()).length === 1,
      async () => (await vmis()).join(),
    )
  })

  test('replaces a VMI that is deleted, and leaves one alone that no longer has its labels', async () => {
    const [first = ''] = await vmis()
    await machine.kubectl(['delete', first])
    await eventually(
      async () => (await vmis()).length === 1 && !(await vmis()).includes(first),
      async () => (await vmis()).join(),
    )
    const [second = ''] = await vmis()
    await machine.kubectl(['label', second, 'app=alone', '--overwrite'])
    await eventually(
      async () => (await vmis()).length === 1,
      async () => (await vmis()).join(),
    )
    assert.equal(await machine.kubectl(['get', second, '-o', 'jsonpath={.metadata.ownerReferences}']), '')
  })

  test('does nothing while it is paused, and takes its VMIs with it', async () => {
    await machine.kubectl(['patch', 'vmirs', 'web', '--type=merge', '-p', '{"spec":{"paused":true,"replicas":3}}'])
    await machine.kubectl(['wait', 'vmirs/web', '--for=condition=ReplicaPaused', '--timeout=30s'])
    assert.equal((await vmis()).length, 1)
    await machine.kubectl(['delete', 'vmirs', 'web'])
    await eventually(
      async () => (await vmis()).length === 0,
      async () => (await vmis()).join(),
    )
    assert.match(await machine.kubectl(['get', 'vmi', '-o', 'name']), /\/web[a-z0-9]{5}/)
  })
})
