import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { subresourcesPath } from '../support/guests/guest-streams.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { createClaims, playerVirtualMachine, untilInGuest, untilVolumes, volumeStory } from '../support/guests/volume-story.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { noKubectl } from '../support/kubectl.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('volumes of running guests', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    // Boots while the other guest is asked.
    await machine.kubectl(['create', '-f', '-'], playerVirtualMachine('player', machine.namespace))
  })
  after(() => machine[Symbol.asyncDispose]())

  const put = (vm: string, verb: string, body: object): Promise<string> =>
    machine.kubectl(['replace', '--raw', `${subresourcesPath(machine)}/virtualmachines/${vm}/${verb}`, '-f', '-'], JSON.stringify(body))

  test('are plugged by a request or an edit, grow, move with the guest, and are unplugged', () =>
    // What virtctl sends.
    volumeStory(machine, {
      add: (vm, name) =>
        put(vm, 'addvolume', {
          name,
          disk: { disk: { bus: 'scsi' }, serial: name },
          volumeSource: { persistentVolumeClaim: { claimName: name, hotpluggable: true } },
        }),
      remove: (vm, name) => put(vm, 'removevolume', { name }),
    }))

  test('are discs that are inserted, ejected, and there again after a restart', async () => {
    await createClaims(machine, ['disc'])
    await untilGuestsRun(machine, ['player'])
    const edit = (volumes: readonly object[] | null): Promise<string> =>
      machine.kubectl(['patch', 'vm', 'player', '--type=merge', '-p', JSON.stringify({ spec: { template: { spec: { volumes } } } })])
    const look = 'dd if=/dev/sr0 bs=2k count=2 2>&1 | tail -n 1; cat /sys/block/sr0/size'
    const disc = { name: 'disc', persistentVolumeClaim: { claimName: 'disc', hotpluggable: true } }
    await untilInGuest(machine, 'player', look, /No medium found/)
    await edit([disc])
    await untilVolumes(machine, 'player', 'disc Ready sda')
    await untilInGuest(machine, 'player', look, /30720/)
    await edit(null)
    await untilVolumes(machine, 'player')
    await untilInGuest(machine, 'player', look, /No medium found/)
    await edit([disc])
    await untilVolumes(machine, 'player', 'disc Ready sda')
    const uid = textAt(await machine.getJson('vmi', 'player'), 'metadata.uid')
    await machine.kubectl(['delete', 'vmi', 'player'])
    await eventually(
      async () => ![uid, ''].includes(await machine.insist(['get', 'vmi', 'player', '-o', 'jsonpath={.metadata.uid}'])),
      () => 'the VM does not start again',
    )
    await untilGuestsRun(machine, ['player'])
    await untilInGuest(machine, 'player', look, /30720/)
    const conditions = await machine.kubectl(['get', 'vm', 'player', '-o', 'jsonpath={.status.conditions[*].type}'])
    assert.doesNotMatch(conditions, /RestartRequired/)
  })
})
