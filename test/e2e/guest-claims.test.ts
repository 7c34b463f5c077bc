// Takes longer than 45 s: guests restart and move to prove that they keep what they write.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import type { Cluster } from '#cli/cluster/connect.ts'
import { diskVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { subresourcesPath } from '../support/guests/guest-streams.ts'
import { machineModeOnly } from '../support/place.ts'
import { createMigration, awaitMigrationEnd } from '../support/migrations.ts'

const run = promisify(execFile)

function claim(name: string, accessMode: string, volumeMode: string): string {
  const spec = { accessModes: [accessMode], volumeMode, resources: { requests: { storage: '16Mi' } } }
  return JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec })
}

suite('guests keep their data in claims', { skip: machineModeOnly('compares sizes of the local provisioner') }, () => {
  let machine: TestMachine
  let cluster: Cluster
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    cluster = await machine.connect()
  })
  after(async () => {
    cluster[Symbol.dispose]()
    await machine[Symbol.asyncDispose]()
  })

  const inGuest = (command: string, name = 'keeper'): Promise<string> => machine.inGuest(command, name)
  const ready = (name: string): Promise<string> => machine.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=300s'])
  const conditionOf = async (name: string, type: string): Promise<string> =>
    machine.kubectl(['get', name, '-o', `jsonpath={.status.conditions[?(@.type=="${type}")]['status','reason','message']}`])

  test('a VM reports its missing claim, and starts when it exists', async () => {
    await machine.kubectl(['create', '-f', '-'], diskVirtualMachine('keeper', { persistentVolumeClaim: { claimName: 'kept' } }))
    await machine.kubectl(['wait', 'vm/keeper', '--for=jsonpath={.status.printableStatus}=ErrorPvcNotFound', '--timeout=60s'])
    assert.match(await conditionOf('vm/keeper', 'Synchronized'), /default\/kept does not exist/)
    await machine.kubectl(['create', '-f', '-'], claim('kept', 'ReadWriteMany', 'Filesystem'))
    await ready('keeper')
    // What its file system is taken to need is not the guest's.
    assert.match(await inGuest('blockdev --getsize64 /dev/vda'), new RegExp(String(15 * 2 ** 20)))
  })

  test('data is kept over a restart', async () => {
    await inGuest('dd if=/bin/busybox of=/dev/vda bs=64k count=8 conv=fsync 2>/dev/null')
    const written = await inGuest('dd if=/dev/vda bs=64k count=8 2>/dev/null | sha256sum')
    const uid = textAt(await machine.getJson('vmi', 'keeper'), 'metadata.uid')
    await machine.kubectl(['delete', 'vmi/keeper', '--wait=false'])
    await eventually(
      async () => {
        const { code, stdout } = await machine.tryKubectl(['get', 'vmi', 'keeper', '-o', 'jsonpath={.metadata.uid} {.status.phase}'])
        return code === 0 && !stdout.startsWith(uid) && stdout.endsWith('Running')
      },
      () => 'the VM does not run again',
      300_000,
    )
    assert.equal(await inGuest('dd if=/dev/vda bs=64k count=8 2>/dev/null | sha256sum'), written)
  })

  test('data is kept over a migration, which copies nothing of it', async () => {
    const look = 'cat /proc/sys/kernel/random/boot_id; dd if=/dev/vda bs=64k count=8 2>/dev/null | sha256sum'
    const before = await inGuest(look)
    const from = textAt(await machine.getJson('vmi', 'keeper'), 'status.nodeName')
    assert.equal(textAt(await machine.getJson('vmi', 'keeper'), 'status.migrationMethod'), 'LiveMigration')
    const ended = await awaitMigrationEnd(cluster.client, await createMigration(cluster.client, 'keeper'))
    assert.equal(ended?.status?.phase, 'Succeeded', ended?.status?.migrationState?.failureReason ?? 'it has gone')
    assert.notEqual(textAt(await machine.getJson('vmi', 'keeper'), 'status.nodeName'), from)
    await eventually(
      () => machine.guests().length === 1,
      () => `${machine.guests().length} QEMUs are left`,
    )
    assert.equal(await inGuest(look), before)
    // And it writes to the same disk from there.
    await inGuest('echo moved >/dev/vda; sync; echo 3 >/proc/sys/vm/drop_caches')
    assert.match(await inGuest('head -c 5 /dev/vda'), /moved/)
  })

  test('a guest whose disk cannot grow is stopped, says so, and goes on when it can', { skip: process.getuid?.() !== 0 }, async () => {
    const folder = join(machine.home, 'small')
    await mkdir(folder)
    await run('mount', ['-t', 'tmpfs', '-o', 'size=4M,mode=777', 'small', folder])
    try {
      const shared = { accessModes: ['ReadWriteOnce'], storageClassName: 'small' }
      const volume = {
        ...shared,
        capacity: { storage: '16Mi' },
        hostPath: { path: folder },
        claimRef: { namespace: 'default', name: 'small' },
      }
      const wish = { ...shared, resources: { requests: { storage: '16Mi' } } }
      const objects = [
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'small' }, spec: volume },
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'small' }, spec: wish },
        JSON.parse(diskVirtualMachine('writer', { persistentVolumeClaim: { claimName: 'small' } })) as object,
      ]
      await machine.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
      await ready('writer')
      await inGuest(
        '(dd if=/bin/busybox of=/dev/vda bs=64k; dd if=/dev/zero of=/dev/vda bs=1M count=8 conv=fsync; echo done >/done) >/dev/null 2>&1 &',
        'writer',
      )
      await machine.kubectl(['wait', 'vmi/writer', '--for=condition=Paused', '--timeout=60s'])
      assert.match(await conditionOf('vmi/writer', 'Paused'), /True.*PausedIOError.*low-level IO error detected/)
      const events = (): Promise<string> => machine.kubectl(['events', '--for', 'vmi/writer'])
      await eventually(async () => /Warning\s+IOerror\s.*VM Paused due to not enough space on volume: data/.test(await events()), events)
      await run('mount', ['-o', 'remount,size=32M', folder])
      await machine.kubectl(
        ['replace', '--raw', `${subresourcesPath({ namespace: 'default' })}/virtualmachineinstances/writer/unpause`, '-f', '-'],
        '{}',
      )
      assert.equal(await inGuest('until [ -e /done ]; do sleep 1; done; cat /done', 'writer'), 'done')
      await machine.kubectl(['delete', 'vm', 'writer', '--timeout=60s'])
    } finally {
      await run('umount', ['-l', folder])
    }
  })

  test('no other guest can write to it at the same time', async () => {
    await machine.kubectl(['create', '-f', '-'], diskVirtualMachine('rival', { dataVolume: { name: 'kept' } }))
    await eventually(
      async () => textAt(await machine.getJson('vm', 'rival'), 'status.startFailure.consecutiveFailCount') !== '',
      async () => `the other guest is ${textAt(await machine.getJson('vm', 'rival'), 'status.printableStatus')}`,
      180_000,
    )
    assert.match(await inGuest('head -c 5 /dev/vda'), /moved/)
    await machine.kubectl(['delete', 'vm/rival'])
  })

  test('a VM waits while its node-local raw volume is populated, and runs on that node', async () => {
    await machine.kubectl(['delete', 'vm/keeper'])
    const dataVolume = { apiVersion: 'cdi.kubevirt.io/v1beta1', kind: 'DataVolume', metadata: { name: 'raw' }, spec: {} }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(dataVolume))
    await machine.kubectl(['create', '-f', '-'], claim('raw', 'ReadWriteOnce', 'Block'))
    await machine.kubectl(['create', '-f', '-'], diskVirtualMachine('raw', { dataVolume: { name: 'raw' } }))
    const says = (word: string): Promise<string> =>
      machine.kubectl(['wait', 'vm/raw', `--for=jsonpath={.status.printableStatus}=${word}`, '--timeout=60s'])
    await says('WaitingForVolumeBinding')
    const patch = ['patch', 'datavolume/raw', '--subresource=status', '--type=merge', '-p']
    await machine.kubectl([...patch, '{"status":{"phase":"ImportInProgress"}}'])
    await says('Provisioning')
    await machine.kubectl([...patch, '{"status":{"phase":"Succeeded"}}'])
    await ready('raw')
    assert.match(await inGuest('blockdev --getsize64 /dev/vda', 'raw'), new RegExp(String(16 * 2 ** 20)))
    assert.match(await conditionOf('vmi/raw', 'LiveMigratable'), /False.*DisksNotLiveMigratable.*PVC raw is not shared/)
    await machine.kubectl(['delete', 'vm/raw'])
  })

  test('a host disk needs the feature gate, and is created with the requested size', async () => {
    const path = join(machine.home, 'images', 'web.img')
    const vm = diskVirtualMachine('host', { hostDisk: { path, type: 'DiskOrCreate', capacity: '3Mi' } })
    const { code, stderr } = await machine.tryKubectl(['create', '-f', '-'], vm)
    assert.equal(code, 1)
    assert.match(stderr, /HostDisk feature gate is not enabled/)
    const configuration = { developerConfiguration: { featureGates: ['HostDisk'] } }
    const gate = ['patch', 'kubevirt/kubevirt', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec: { configuration } })]
    await machine.kubectl(gate)
    await eventually(
      async () => (await machine.tryKubectl(['create', '-f', '-'], vm)).code === 0,
      () => 'the gate has no effect',
    )
    await ready('host')
    assert.match(await inGuest('blockdev --getsize64 /dev/vda', 'host'), new RegExp(String(3 * 2 ** 20)))
    assert.equal((await stat(path)).size, 3 * 2 ** 20)
    assert.match(await conditionOf('vmi/host', 'LiveMigratable'), /False.*DisksNotLiveMigratable/)
  })
})
