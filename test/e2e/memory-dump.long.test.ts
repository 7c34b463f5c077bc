// Takes longer than 45 s: it dumps the memory of a guest once for each kill.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { sample } from '../support/effort.ts'
import { subresourcesPath } from '../support/guests/guest-streams.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine } from '../support/manifests.ts'
import { machineModeOnly } from '../support/place.ts'

suite('kill -9 while the memory of a guest is dumped', { skip: machineModeOnly('it kills processes of the machine') }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'dumps' }, spec }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(claim))
    await machine.kubectl(['create', '-f', '-'], demoVirtualMachine('web'))
    await machine.kubectl(['wait', 'vm/web', '--for=condition=Ready', '--timeout=120s'])
  })
  after(() => machine[Symbol.asyncDispose]())

  const request = async (): Promise<KubeJson> =>
    ((JSON.parse(await machine.insist(['get', 'vm', 'web', '-o', 'json'])) as KubeJson)['status']?.['memoryDumpRequest'] ?? {}) as KubeJson
  const kill = (role: string): void => {
    for (const { pid } of machine.processes().filter((process) => process.role === role)) process.kill(pid, 'SIGKILL')
  }

  for (const [role, ms] of sample(
    ['virt-handler', 'virt-controller', 'apiserver', 'kubelet'].flatMap((role) => [0, 100, 300, 1000].map((ms) => [role, ms] as const)),
    4,
  ))
    test(`of ${role} after ${ms} ms: the dump is complete, and the guest runs on`, async () => {
      const former = textAt(await request(), 'fileName')
      const body = JSON.stringify({ claimName: 'dumps' })
      await machine.insist(['replace', '--raw', `${subresourcesPath(machine)}/virtualmachines/web/memorydump`, '-f', '-'], body)
      await sleep(ms)
      kill(role)
      await eventually(
        async () => textAt(await request(), 'phase') === 'Completed',
        async () => JSON.stringify(await request()),
      )
      assert.notEqual(textAt(await request(), 'fileName'), former)
      assert.doesNotMatch(await machine.insist(['get', 'vmi', 'web', '-o', 'json']), /memoryDump/)
      await machine.inGuest('true', 'web')
    })

  test('of QEMU: the next guest is dumped', async () => {
    const former = textAt(await request(), 'fileName')
    const body = JSON.stringify({ claimName: 'dumps' })
    await machine.insist(['replace', '--raw', `${subresourcesPath(machine)}/virtualmachines/web/memorydump`, '-f', '-'], body)
    kill('compute')
    await eventually(
      async () => textAt(await request(), 'phase') === 'Completed',
      async () => JSON.stringify(await request()),
    )
    assert.notEqual(textAt(await request(), 'fileName'), former)
  })

  test('of all of it: a VM that is deleted meanwhile leaves nothing', async () => {
    const body = JSON.stringify({ claimName: 'dumps' })
    await machine.insist(['replace', '--raw', `${subresourcesPath(machine)}/virtualmachines/web/memorydump`, '-f', '-'], body)
    await machine.kubectl(['delete', 'vm', 'web', '--timeout=90s'])
    await eventually(
      async () => (await machine.kubectl(['get', 'pods,vmis', '-o', 'name'])).trim() === '',
      () => machine.kubectl(['get', 'pods,vmis']),
    )
  })
})
