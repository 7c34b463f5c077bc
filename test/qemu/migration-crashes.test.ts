import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { advanceIncoming, advanceOutgoing, connectQmp, ownership, takeOver, type QmpConnection } from '#qemu/index.ts'
import { startTarget, startTicking, until, type TestQemu } from '#qemu/guest.fixture.ts'
import { plansFor } from '#qemu/migration/guest-move.fixture.ts'
import { readMigration } from '#qemu/migration/report.ts'
import { queryRunState } from '#qemu/qmp/commands.ts'
import { brokenTicks } from '#qemu/ticking-disk.fixture.ts'
import { repeats } from '../support/effort.ts'

/** Number of tested kill points, spread evenly over the points between two commands. */
const kills = repeats({ default: 5, long: 15 })

class Killed extends Error {}

/**
 * Connections of a process that is killed before or after its n-th command to either QEMU: the
 * command is not sent, or its answer not read.
 */
class CrashingConnections {
  commands = 0
  readonly #last: number
  constructor(last: number) {
    this.#last = last
  }

  connect({ folder }: TestQemu): Promise<QmpConnection> {
    return connectQmp(join(folder, 'tools.qmp')).then((qmp) => ({
      execute: async (command, argument) => {
        if (this.commands >= this.#last) throw new Killed()
        this.commands += 1
        const answer = await qmp.execute(command, argument)
        if (this.commands >= this.#last) throw new Killed()
        return answer
      },
      executeWith: (descriptor, command, argument) => qmp.executeWith(descriptor, command, argument),
      onEvent: (listener) => qmp.onEvent(listener),
      closed: qmp.closed,
      [Symbol.dispose]: () => qmp[Symbol.dispose](),
    }))
  }
}

interface Pair {
  readonly source: TestQemu
  readonly target: TestQemu
  readonly plans: ReturnType<typeof plansFor>
}

/** Runs the node agents of both sides until the migration ends or a process is killed. */
async function runMigration({ source, target, plans }: Pair, connections: CrashingConnections, facts: { granted: boolean }): Promise<void> {
  using from = await connections.connect(source)
  using to = await connections.connect(target)
  for (;;) {
    const there = await advanceIncoming(to, plans.incoming)
    if (there.kind === 'running') return
    const { step } = await advanceOutgoing(from, plans.outgoing, performance.now())
    if (step.kind !== 'end') continue
    assert.equal(step.outcome, 'completed')
    const answers = await Promise.all(
      [from, to].map(async (qmp) => {
        const { status } = await readMigration(qmp)
        return { kind: 'answers', status, runState: await queryRunState(qmp) } as const
      }),
    )
    const [ofSource, ofTarget] = answers
    if (ofSource === undefined || ofTarget === undefined) throw new Error('Both have answered')
    const whose = ownership(ofSource, ofTarget, facts.granted)
    assert.equal(whose.owner, 'target')
    facts.granted = true
    await takeOver(to, true)
  }
}

async function startPair(t: TestContext): Promise<Pair> {
  const source = await startTicking(t, { mebibytes: 8, pagesPerTick: 50, sector: 7 })
  const target = await startTarget(t, source, { ownDisks: ['boot.img'] })
  return { source, target, plans: plansFor(target, { disks: [{ node: 'disk-boot', sync: 'full' }] }) }
}

async function assertMoved({ source, target }: Pair, when: string): Promise<void> {
  await until('the guest ticks on the target', () => target.printed().length > 5)
  assert.equal(brokenTicks(source.printed() + target.printed()), undefined, when)
  assert.equal(await queryRunState(source.qmp), 'postmigrate')
}

test('a migration with a disk completes whenever both drivers are killed', { timeout: 300_000 }, async (t) => {
  const complete = new CrashingConnections(Number.POSITIVE_INFINITY)
  const first = await startPair(t)
  await runMigration(first, complete, { granted: false })
  await assertMoved(first, 'without a kill')
  for (let nth = 0; nth < kills; nth++) {
    const last = 1 + Math.floor((nth * complete.commands) / kills)
    const pair = await startPair(t)
    const facts = { granted: false }
    // A faster migration may complete before the kill.
    await runMigration(pair, new CrashingConnections(last), facts).catch((error: unknown) =>
      assert.ok(error instanceof Killed, String(error)),
    )
    await runMigration(pair, new CrashingConnections(Number.POSITIVE_INFINITY), facts)
    await assertMoved(pair, `after a kill at command ${last} of ${complete.commands}`)
    await Promise.all([pair.source.kill(), pair.target.kill()])
  }
})
