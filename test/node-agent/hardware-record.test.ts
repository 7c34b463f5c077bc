import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { HardwareStatus, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import type { HardwareRecord } from '#api/steadyvm/v1alpha1/hardware-record.ts'
import { findCondition } from '#apimachinery/conditions.ts'
import { found, startTestCluster, until, type TestCluster } from '#features/cluster.fixture.ts'
import { hardwareNames } from '#features/hardware-record/index.ts'
import { guestsOnDisk, qemuBinary, testHost, webVm } from '#features/node-agent/guest.fixture.ts'

const key = { namespace: 'default', name: 'web' }

const vm = webVm('Always', 1)
/** Milliseconds that a start may take on a loaded machine. */
const patienceMs = 60_000

suite('the hardware record of a guest', { skip: !existsSync(qemuBinary) }, () => {
  let cluster: TestCluster
  before(async () => {
    cluster = await startTestCluster({ host: await testHost(), hardwareQuietMs: 0 })
    for (const part of ['virt-controller', 'kubelet', 'node-agent'] as const) cluster.start(part)
    await cluster.client.create(virtualMachines, vm)
  })
  after(() => cluster[Symbol.asyncDispose]())

  const patch = (body: object): Promise<VirtualMachine> => cluster.client.patch(virtualMachines, key, { type: 'merge', body })
  const guest = (): Promise<VirtualMachineInstance | undefined> => found(cluster.client, virtualMachineInstances, 'web')
  const storedRecord = (): Promise<HardwareRecord | undefined> => found(cluster.client, hardwareRecords, 'web')
  const changeOf = (vmi: VirtualMachineInstance): { reason?: string; message?: string } | undefined =>
    findCondition(vmi.status?.conditions, hardwareNames.changedCondition)
  const writesOf = (resource: string): number => cluster.writes.filter((write) => write.resource === resource).length

  async function halted(): Promise<void> {
    await patch({ spec: { runStrategy: 'Halted' } })
    await until(async () => (await guest()) === undefined, patienceMs)
  }
  /** Waits for a running guest whose hardware is recorded. */
  const settled = (): Promise<VirtualMachineInstance> =>
    until(async () => {
      const vmi = await guest()
      const isKept = guestsOnDisk(cluster).some(({ record, hardware }) => record?.vmi.uid === vmi?.metadata.uid && hardware !== undefined)
      return vmi?.status?.phase === 'Running' && isKept && vmi
    }, patienceMs)
  const summary = (isNew: (hardware: HardwareStatus) => boolean = () => true): Promise<HardwareStatus> =>
    until(async () => {
      const hardware = (await found(cluster.client, virtualMachines, 'web'))?.status?.steadyvm?.hardware
      return hardware !== undefined && isNew(hardware) && hardware
    }, patienceMs)
  const refused = (): Promise<VirtualMachineInstance> =>
    until(async () => {
      const vmi = await guest()
      return vmi !== undefined && changeOf(vmi)?.reason === 'Refused' && vmi
    }, patienceMs)
  const start = (memory: string, annotations: Record<string, string | null> = {}): Promise<VirtualMachine> =>
    patch({ metadata: { annotations }, spec: { runStrategy: 'Always', template: { spec: { domain: { memory: { guest: memory } } } } } })

  test('is stored once, with a summary on the VM, and not again at a start with the same hardware', async () => {
    await settled()
    const first = await summary()
    assert.equal(first.history[0]?.reason, 'FirstStart')
    const record = await storedRecord()
    assert.equal(record?.fingerprint, first.fingerprint)
    assert.equal(record.facts['memory: bytes'], String(16 << 20))
    await halted()
    const before = writesOf('hardwarerecords')
    await start('16Mi')
    const vmi = await settled()
    assert.equal(changeOf(vmi), undefined)
    assert.equal((await summary()).fingerprint, first.fingerprint)
    assert.equal(writesOf('hardwarerecords'), before)
    await halted()
  })

  test('changes when the owner accepts this fingerprint, with an event and a history entry', async () => {
    const was = await summary()
    await start('24Mi', { [hardwareNames.policyAnnotation]: 'Refuse' })
    const stopped = await refused()
    // Nothing was launched yet.
    assert.equal(
      guestsOnDisk(cluster).find(({ record }) => record?.vmi.uid === stopped.metadata.uid),
      undefined,
    )
    const message = changeOf(stopped)?.message ?? ''
    const word = /accept-hardware=(\w+)/.exec(message)?.[1] ?? ''
    await patch({ metadata: { annotations: { [hardwareNames.acceptAnnotation]: word } } })
    const vmi = await settled()
    assert.equal(changeOf(vmi)?.reason, 'Specification')
    const now = await summary(({ fingerprint }) => fingerprint !== was.fingerprint)
    assert.equal(now.history.length, 2)
    assert.ok(now.fingerprint.startsWith(word))
    const record = await storedRecord()
    assert.ok(record?.history[0]?.changes?.some(({ name, after: is }) => name === 'memory: bytes' && is === String(24 << 20)))
    await halted()
  })

  test('changes without an event if the policy allows it', async () => {
    const was = await summary()
    await start('16Mi', { [hardwareNames.policyAnnotation]: 'Allow' })
    assert.equal(changeOf(await settled()), undefined)
    assert.notEqual((await summary(({ fingerprint }) => fingerprint !== was.fingerprint)).fingerprint, was.fingerprint)
  })
})
