import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { untilInGuest } from '../support/guests/volume-story.ts'
import { noKubectl } from '../support/kubectl.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('snapshots of the disks of a running guest', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => (machine = await useNamespace()))
  after(() => machine[Symbol.asyncDispose]())

  const until = async (kind: string, name: string, path: string, wanted: string): Promise<void> => {
    let last = ''
    await eventually(
      async () => {
        last = await machine.kubectl(['get', kind, name, '-o', 'json'])
        return textAt(JSON.parse(last) as never, path) === wanted
      },
      () => last,
    )
  }
  const create = (manifest: object): Promise<string> => machine.kubectl(['create', '-f', '-'], JSON.stringify(manifest))
  const start = (name: string): Promise<string> =>
    machine.kubectl(['patch', 'vm', name, '--type=merge', '-p', JSON.stringify({ spec: { runStrategy: 'Always', running: null } })])
  const reference = (kind: string, name: string): object => ({
    apiGroup: kind === 'VirtualMachine' ? 'kubevirt.io' : 'snapshot.kubevirt.io',
    kind,
    name,
  })

  const takeSnapshot = async (name: string): Promise<void> => {
    const spec = { source: reference('VirtualMachine', 'kept') }
    await create({ apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshot', metadata: { name }, spec })
    await until('vmsnapshot', name, 'status.phase', 'Succeeded')
  }

  test('bring old content back, also in a clone, which has disks of its own', async () => {
    for (const [name, volumeMode] of Object.entries({ one: 'Filesystem', two: 'Block' })) {
      const spec = { accessModes: ['ReadWriteOnce'], volumeMode, resources: { requests: { storage: '16Mi' } } }
      await create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec })
    }
    const withClaims = editGuest(demoVirtualMachine('kept', { namespace: machine.namespace }), (spec) => ({
      ...spec,
      domain: {
        ...spec.domain,
        devices: { ...spec.domain.devices, disks: ['one', 'two'].map((name) => ({ name, disk: { bus: 'virtio' }, serial: name })) },
      },
      volumes: ['one', 'two'].map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    }))
    await machine.kubectl(['create', '-f', '-'], withClaims)
    await untilGuestsRun(machine, ['kept'])
    await machine.inGuest('echo first1 >/dev/vda; echo first2 >/dev/vdb; sync', 'kept')
    await takeSnapshot('before')
    const { status } = await machine.getJson('vmsnapshot', 'before')
    assert.deepEqual(status?.['indications'], ['Online', 'NoGuestAgent'])
    assert.deepEqual(status?.['snapshotVolumes'], { includedVolumes: ['one', 'two'] })
    await machine.inGuest('echo second >/dev/vda; echo second >/dev/vdb; sync', 'kept')
    await create({
      apiVersion: 'clone.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClone',
      metadata: { name: 'twin' },
      spec: { source: reference('VirtualMachineSnapshot', 'before'), target: reference('VirtualMachine', 'twin') },
    })
    await create({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineRestore',
      metadata: { name: 'back' },
      spec: {
        target: reference('VirtualMachine', 'kept'),
        virtualMachineSnapshotName: 'before',
        targetReadinessPolicy: 'StopTarget',
      },
    })
    await until('vmclone', 'twin', 'status.phase', 'Succeeded')
    await start('twin')
    await until('vmrestore', 'back', 'status.conditions.1.reason', 'Operation complete')
    await takeSnapshot('halted')
    assert.deepEqual((await machine.getJson('vmsnapshot', 'halted'))['status']?.['snapshotVolumes'], { includedVolumes: ['one', 'two'] })
    await start('kept')
    await untilGuestsRun(machine, ['kept', 'twin'])
    for (const name of ['kept', 'twin']) await untilInGuest(machine, name, 'head -c 6 /dev/vda; head -c 6 /dev/vdb', /first1first2/)
    await machine.inGuest('echo third >/dev/vda; sync', 'twin')
    await untilInGuest(machine, 'kept', 'echo 3 >/proc/sys/vm/drop_caches; head -c 6 /dev/vda', /first1/)
  })
})
