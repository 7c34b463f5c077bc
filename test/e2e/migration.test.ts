// Takes longer than 45 s: it moves a real guest, also while processes are killed.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { longTest } from '../support/effort.ts'
import { noKubectl } from '../support/kubectl.ts'
import { demoVirtualMachine, diskVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'

/** A migration policy that is slow enough for a test to act during the migration. */
const slowly = {
  apiVersion: 'migrations.kubevirt.io/v1alpha1',
  kind: 'MigrationPolicy',
  metadata: { name: 'slowly' },
  spec: { bandwidthPerMigration: '16Mi', selectors: { virtualMachineInstanceSelector: { app: 'demo' } } },
}

suite('live migration of a running guest', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await machine.kubectl(['apply', '-f', '-'], diskVirtualMachine('demo', { emptyDisk: { capacity: '16Mi' } }))
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=300s'])
    await inGuest('echo kept >/tmp/kept; echo written >/dev/vda; sync')
  })
  after(() => machine[Symbol.asyncDispose]())

  const inGuest = (command: string, name = 'demo'): Promise<string> => machine.inGuest(command, name)
  const nodeOf = async (): Promise<string> => textAt(await machine.getJson('vmi', 'demo'), 'status.nodeName')
  const create = async (vmiName = 'demo'): Promise<string> => {
    const migration = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration', spec: { vmiName } }
    const name = await machine.kubectl(
      ['create', '-f', '-', '-o', 'name'],
      JSON.stringify({ ...migration, metadata: { generateName: 'm-' } }),
    )
    return name.trim()
  }
  const endOf = async (migration: string): Promise<string> => {
    let phase = ''
    await eventually(
      async () => ['Succeeded', 'Failed'].includes((phase = textAt(await machine.getJson(migration), 'status.phase'))),
      () => `${migration} is still ${phase}`,
      120_000,
    )
    return phase
  }
  const qemus = (name = 'demo') => machine.guests().filter((guest) => guest.name === name)
  const assertOneGuest = async (name = 'demo'): Promise<void> =>
    eventually(
      () => qemus(name).length === 1,
      () => `${qemus(name).length} QEMUs are left`,
    )
  /** Identity of the guest's run: boot ID, a file in memory, and bytes of its disk. */
  const identity = (): Promise<string> => inGuest('cat /proc/sys/kernel/random/boot_id /tmp/kept; head -c 7 /dev/vda')

  test('keeps memory and disk, and the VMI names the new node', async () => {
    const [from, before] = [await nodeOf(), await identity()]
    assert.match(before, /kept\r?\nwritten/)
    const migration = await create()
    assert.equal(await endOf(migration), 'Succeeded')
    const vmi = await machine.getJson('vmi', 'demo')
    const to = textAt(vmi, 'status.nodeName')
    assert.notEqual(to, from)
    assert.equal(textAt(vmi, 'status.migrationState.sourceNode'), from)
    assert.equal(textAt(vmi, 'status.migrationState.targetNode'), to)
    assert.equal(textAt(vmi, 'status.migrationMethod'), 'BlockMigration')
    assert.equal(await identity(), before)
    await assertOneGuest()
    assert.match(await machine.kubectl(['get', 'vmim']), /^NAME +PHASE +VMI\nm-\S+ +Succeeded +demo\n$/)
    await eventually(
      async () => (await machine.kubectl(['get', 'pods', '-o', 'name'])).trim().split('\n').length === 1,
      () => 'the pod that the guest has left is still there',
    )
  })

  longTest('moves a paused guest, which stays paused until it is resumed', async () => {
    const [from, before] = [await nodeOf(), await identity()]
    const put = async (verb: 'pause' | 'unpause'): Promise<void> => {
      const path = `/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/demo/${verb}`
      await machine.kubectl(['replace', '--raw', path, '-f', '-'], '{}')
    }
    const is = (status: string): Promise<string> =>
      machine.kubectl(['wait', 'vm/demo', `--for=jsonpath={.status.printableStatus}=${status}`, '--timeout=60s'])
    await put('pause')
    await is('Paused')
    assert.equal(await endOf(await create()), 'Succeeded')
    await is('Paused')
    assert.notEqual(await nodeOf(), from)
    await put('unpause')
    await is('Running')
    assert.equal(await identity(), before)
    await assertOneGuest()
  })

  test('succeeds although node agents are killed', async () => {
    const before = await identity()
    const from = await nodeOf()
    const migration = await create()
    await eventually(
      async () => textAt(await machine.getJson('vmi', 'demo'), 'status.migrationState.migrationUid') !== '' && qemus().length === 2,
      () => 'no second QEMU was started',
    )
    const agents = machine.processes().filter(({ role }) => role === 'virt-handler')
    assert.ok(agents.length >= 2)
    for (const agent of agents) signalProcess(agent, 'SIGKILL')
    assert.equal(await endOf(migration), 'Succeeded')
    assert.notEqual(await nodeOf(), from)
    assert.equal(await identity(), before)
    await assertOneGuest()
  })

  test('leaves the guest on the source when the target QEMU is killed', async () => {
    const [from, before] = [await nodeOf(), await identity()]
    const [source] = qemus()
    const migration = await create()
    await eventually(
      () => qemus().length === 2,
      () => 'no second QEMU was started',
    )
    const targets = qemus().filter(({ process }) => process.pid !== source?.process.pid)
    for (const { process } of targets) signalProcess(process, 'SIGSTOP')
    assert.equal(await identity(), before, 'the guest did not answer during the migration')
    for (const { process } of targets) signalProcess(process, 'SIGKILL')
    assert.equal(await endOf(migration), 'Failed')
    assert.equal(await nodeOf(), from)
    assert.equal(await identity(), before)
    await assertOneGuest()
  })

  longTest('leaves the guest on the source when the target node agent stops', async () => {
    const [from, before] = [await nodeOf(), await identity()]
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(slowly))
    const migration = await create()
    await eventually(
      async () => textAt(await machine.getJson('vmi', 'demo'), 'status.migrationState.targetNodeAddress') !== '',
      () => 'the target does not listen',
    )
    const agents = machine.processes().filter(({ role, node }) => role === 'virt-handler' && node !== from)
    assert.equal(agents.length, 1)
    for (const agent of agents) signalProcess(agent, 'SIGSTOP')
    assert.equal(await endOf(migration), 'Failed')
    const failed = await machine.getJson(migration)
    assert.match(textAt(failed, 'status.migrationState.failureReason'), /did not take over/)
    for (const agent of agents) signalProcess(agent, 'SIGCONT')
    assert.equal(await nodeOf(), from)
    assert.equal(await identity(), before)
    await assertOneGuest()
    await machine.kubectl(['delete', 'migrationpolicy', 'slowly'])
  })

  longTest('leaves the guest on the source when the migration is deleted', async () => {
    const [from, before] = [await nodeOf(), await identity()]
    const migration = await create()
    await machine.kubectl(['delete', migration, '--timeout=60s'])
    assert.equal(await nodeOf(), from)
    assert.equal(await identity(), before)
    await assertOneGuest()
  })

  longTest('reports a cancellation during the memory transfer, whichever node agent sees it first', async () => {
    const [from, before] = [await nodeOf(), await identity()]
    const crawling = { ...slowly, metadata: { name: 'crawling' }, spec: { ...slowly.spec, bandwidthPerMigration: '1Mi' } }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(crawling))
    for (const round of [1, 2, 3, 4, 5]) {
      const migration = await create()
      await eventually(
        async () => textAt(await machine.getJson(migration), 'status.phase') === 'Running',
        () => `${migration} does not get under way`,
        60_000,
      )
      const uid = textAt(await machine.getJson(migration), 'metadata.uid')
      await machine.kubectl(['delete', migration, '--timeout=60s'])
      const vmi = await machine.getJson('vmi', 'demo')
      const said = ['migrationUid', 'abortStatus', 'failureReason'].map((field) => textAt(vmi, `status.migrationState.${field}`))
      assert.deepEqual(said, [uid, 'Succeeded', 'Live migration has been cancelled'], `round ${round}`)
      const of = `involvedObject.uid=${uid}`
      const events = await machine.kubectl(['get', 'events', `--field-selector=${of}`, '-o', 'jsonpath={.items[*].reason}'])
      assert.ok(events.includes('SuccessfulAbortMigration') && !events.includes('FailedAbortMigration'), events)
      await assertOneGuest()
    }
    await machine.kubectl(['delete', 'migrationpolicy', 'crawling'])
    assert.equal(await nodeOf(), from)
    assert.equal(await identity(), before)
  })

  longTest('uses post-copy if it is allowed', async () => {
    await machine.kubectl(['create', '-f', '-'], demoVirtualMachine('light'))
    await machine.kubectl(['wait', 'vm/light', '--for=condition=Ready', '--timeout=300s'])
    const selectors = { virtualMachineInstanceSelector: { app: 'light' } }
    const spec = { bandwidthPerMigration: '8Mi', completionTimeoutPerGiB: 1, allowPostCopy: true, selectors }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify({ ...slowly, metadata: { name: 'late' }, spec }))
    const bootId = (): Promise<string> => inGuest('cat /proc/sys/kernel/random/boot_id', 'light')
    const [from, before] = [textAt(await machine.getJson('vmi', 'light'), 'status.nodeName'), await bootId()]
    assert.equal(await endOf(await create('light')), 'Succeeded')
    const vmi = await machine.getJson('vmi', 'light')
    assert.equal(textAt(vmi, 'status.migrationState.mode'), 'PostCopy')
    assert.notEqual(textAt(vmi, 'status.nodeName'), from)
    assert.equal(await bootId(), before)
    await assertOneGuest('light')
  })
})
