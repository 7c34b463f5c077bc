import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict } from '#apimachinery/errors.ts'
import { startTestCluster } from '#features/cluster.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { decide } from './decide.ts'
import type { Ports } from './ports.ts'
import { unprepared } from './revisions/prepare.ts'
import { report } from './report.ts'
import { vmWith } from './vm.fixture.ts'

const key = { namespace: 'default', name: 'web' }

suite('report()', () => {
  test('rejects with a conflict when the VM was written since it was read, and changes nothing', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    const ports = { client, clock: systemClock, recorder: { event: () => {} }, revisions: { get: () => undefined } } as unknown as Ports
    const { metadata, ...vm } = vmWith({ runStrategy: 'Halted' })
    const created: VirtualMachine = await client.create(virtualMachines, { ...vm, metadata: { ...metadata, ...key } })
    const decision = decide({ vm: created, vmi: undefined }, 0, 0)
    const pass = (of: VirtualMachine) => ({ ...unprepared(of), vmi: undefined, decision, classification: undefined })

    await report(ports, pass(created))
    const first = await client.get(virtualMachines, key)
    assert.equal(first.status?.printableStatus, 'Stopped')
    const failure = { reason: 'FailedCreate', message: 'no' }
    for (const stale of [created, { ...first, metadata: { ...first.metadata, resourceVersion: created.metadata.resourceVersion ?? '' } }]) {
      await assert.rejects(report(ports, { ...pass(stale), failure }), isConflict)
    }
    assert.deepEqual(await client.get(virtualMachines, key), first)
    await report(ports, pass(first))
    assert.deepEqual(await client.get(virtualMachines, key), first)
  })
})
