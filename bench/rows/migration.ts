import { setTimeout as sleep } from 'node:timers/promises'
import { newerQemu, startTarget, startTicking, systemQemu, until, type TestQemu } from '#qemu/guest.fixture.ts'
import { move, plansFor, quickly } from '#qemu/migration/guest-move.fixture.ts'
import { migrationUri } from '#qemu/migration/endpoint.ts'
import { readMigration, type MigrationReport } from '#qemu/migration/report.ts'
import { parametersOf } from '#qemu/migration/settings.ts'
import { brokenTicks, type Ticking } from '#qemu/ticking-disk.fixture.ts'
import type { Row } from '../measure.ts'
import { sampleOf, words, type Sample } from '../migration-sample.ts'
import { waitFor } from '../wait-for.ts'

const ROUNDS = 5

interface Way {
  readonly change?: (args: string[]) => string[]
  move(source: TestQemu, target: TestQemu): Promise<MigrationReport>
}

const ours: Way = { move: (source, target) => move(source, target).then(({ observed }) => observed.report) }
/** The target runs as soon as it has everything. */
const bare: Way = { change: (args) => args.filter((word) => word !== '-S'), move: bareMove }

/**
 * Live migrations by steps that can be resumed, with the switch by confirmation, next to QEMU that
 * is told to go and left alone.
 */
export async function migrationRows(): Promise<Row[]> {
  const loads: readonly (readonly [string, Ticking])[] = [
    ['idle', {}],
    ['14 MiB/s written', { mebibytes: 64, pagesPerTick: 200 }],
  ]
  const binaries = newerQemu.skip === false ? [systemQemu, newerQemu.binary] : [systemQemu]
  const rows: Row[] = []
  for (const binary of binaries) {
    for (const [name, load] of loads) {
      rows.push({
        what: `live migration, 128 MiB, ${name}, to ${binary === systemQemu ? 'the same QEMU' : 'the newer QEMU'} (p50 of ${ROUNDS})`,
        measured: words(await sample(load, binary, ours)),
        budget: '',
        within: undefined,
        peer: `bare QEMU ${words(await sample(load, binary, bare))}`,
      })
    }
  }
  return rows
}

async function sample(load: Ticking, binary: string, way: Way): Promise<Sample[]> {
  const samples: Sample[] = []
  for (let round = 0; round < ROUNDS; round++) samples.push(await once(load, binary, way))
  return samples
}

async function once(load: Ticking, binary: string, way: Way): Promise<Sample> {
  const ends: (() => unknown)[] = []
  const t = { after: (end: () => unknown) => void ends.push(end) }
  try {
    const source = await startTicking(t, load, { memory: { bytes: 128 << 20 } })
    // Long enough for the guest to have written to all of it.
    if (load.mebibytes !== undefined) await sleep(5_000)
    const target = await startTarget(t, source, { binary, ...(way.change === undefined ? {} : { change: way.change }) })
    let stoppedMs = 0
    let resumedMs = 0
    source.qmp.onEvent(({ event, timestampMs }) => event === 'STOP' && (stoppedMs = timestampMs))
    target.qmp.onEvent(({ event, timestampMs }) => event === 'RESUME' && (resumedMs = timestampMs))
    const started = performance.now()
    const report = await way.move(source, target)
    await until('the target runs', () => resumedMs > 0)
    const sampled = sampleOf({ totalMs: performance.now() - started, stillMs: resumedMs - stoppedMs }, report)
    await until('the guest ticks on the target', () => target.printed().length > 5)
    const broken = brokenTicks(source.printed() + target.printed())
    if (broken !== undefined) throw new Error(`The guest did not survive its migration: ${broken}`)
    return sampled
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

/** Migrates with all commands sent at once, without determining the owner: the minimum of QEMU. */
async function bareMove(source: TestQemu, target: TestQemu): Promise<MigrationReport> {
  const uri = migrationUri(plansFor(target).outgoing.memory)
  const capabilities = [{ capability: 'return-path', state: true }]
  for (const [side, { qmp }] of [['target', target] as const, ['source', source] as const]) {
    await qmp.execute('migrate-set-capabilities', { capabilities })
    await qmp.execute('migrate-set-parameters', parametersOf(quickly, side))
  }
  await target.qmp.execute('migrate-incoming', { uri })
  await source.qmp.execute('migrate', { uri })
  let report: MigrationReport | undefined
  await waitFor('QEMU has migrated the guest', async () => {
    report = await readMigration(source.qmp)
    if (report.status === 'failed') throw new Error(report.error)
    return report.status === 'completed'
  })
  return report as MigrationReport
}
