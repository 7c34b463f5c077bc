import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { isConflict } from '#apimachinery/errors.ts'
import { startTestCluster } from '#features/cluster.fixture.ts'
import { systemClock } from '#runtime/clock.ts'
import { decide } from './decide.ts'
import type { Ports } from './ports.ts'
import type { Prepared } from './revisions/pin.ts'
import { report } from './report.ts'
import { vmWith } from './vm.fixture.ts'

const key = { namespace: 'default', name: 'web' }

suite('report()', () => {
  test('from a VM that somebody has written since ends in a conflict and changes nothing', async () => {
    await using cluster = await startTestCluster()
    const { client } = cluster
    const ports = { client, clock: systemClock, recorder: { event: () => {} }, revisions: { get: () => undefined } } as unknown as Ports
    const { metadata, ...vm } = vmWith({ runStrategy: 'Halted' })
    const seen: VirtualMachine = await client.create(virtualMachines, { ...vm, metadata: { ...metadata, ...key } })
    const decision = decide({ vm: seen, vmi: undefined }, 0, 0)
    const outcome = { vmi: undefined, decision, classification: undefined, failure: undefined }
    const prepared = (vm: VirtualMachine): Prepared => ({ vm, inForce: undefined, expansion: undefined, failure: undefined })

    await report(ports, prepared(seen), outcome)
    const first = await client.get(virtualMachines, key)
    assert.equal(first.status?.printableStatus, 'Stopped')
    const failure = { reason: 'FailedCreate', message: 'no' }
    for (const stale of [seen, { ...first, metadata: { ...first.metadata, resourceVersion: seen.metadata.resourceVersion ?? '' } }]) {
      await assert.rejects(report(ports, prepared(stale), { ...outcome, failure }), isConflict)
    }
    assert.deepEqual(await client.get(virtualMachines, key), first)
    await report(ports, prepared(first), outcome)
    assert.deepEqual(await client.get(virtualMachines, key), first)
  })
})
