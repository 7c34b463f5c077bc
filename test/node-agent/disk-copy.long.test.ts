import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { suite, test } from 'node:test'
import { virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { found, until } from '#features/cluster.fixture.ts'
import { crashingClient } from '#features/crashing-client.fixture.ts'
import { qemuBinary } from '#features/node-agent/guest.fixture.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { seed } from '../support/effort.ts'
import { freeCopy, isSame, patienceMs, startSnapshottedGuest, untouched, type Part } from './snapshotted-guest.fixture.ts'

const namespace = 'default'
const rounds = 20
const guests = 4

suite(`copies of the disk of a running guest (seed ${seed})`, { skip: !existsSync(qemuBinary) }, () => {
  test('complete or fail, and leave nothing, whatever is killed when', async () => {
    const random = createSeededRandom(seed)
    for (let index = 0; index < guests; index++) {
      await using subject = await startSnapshottedGuest()
      const { client } = subject.cluster
      for (let round = 0; round < rounds; round++) {
        const name = `snap-${round}`
        for (const part of ['node-agent', 'virt-controller'] as const satisfies readonly Part[]) {
          if (random.chance(0.3)) continue
          const write = 1 + random.below(part === 'node-agent' ? 3 : 14)
          const moment = random.chance(0.5) ? 'before' : 'after'
          await subject.restart(part, (one) => crashingClient(one, { write, moment }, () => {}))
        }
        await subject.snapshot(name)
        await systemClock.sleep(random.below(400))
        const isDeleted = random.chance(0.3)
        if (isDeleted) await client.delete(virtualMachineSnapshots, { namespace, name })
        const isKilled = round === rounds - 1
        if (isKilled) process.kill(subject.pid, 'SIGKILL')
        for (const part of ['node-agent', 'virt-controller'] as const) await subject.restart(part)
        if (!isDeleted) {
          const { status } = await subject.snapshotWhere(name, (one) => ['Succeeded', 'Failed'].includes(one.status?.phase ?? ''))
          if (!isKilled) assert.equal(status?.phase, 'Succeeded', `${name}: ${status?.error?.message ?? ''}`)
          if (status?.phase === 'Succeeded') assert.ok(await isSame(subject), name)
          await client.delete(virtualMachineSnapshots, { namespace, name })
        }
        await until(async () => (await found(client, virtualMachineSnapshots, name)) === undefined, patienceMs)
        if (isKilled) break
        await untouched(subject)
        await freeCopy(subject)
      }
    }
  })
})
