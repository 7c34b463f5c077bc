// Takes longer than 45 s: it moves a guest in every way that QEMU has.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { sample } from '../support/effort.ts'
import { renewAuthority } from '#machine/pki/certificates.ts'
import { advanceIncoming, ownership, takeOver, type OutgoingState } from '#qemu/index.ts'
import { newerQemu, startTarget, startTicking, systemQemu, temporaryFolder, until, type TestQemu } from '#qemu/guest.fixture.ts'
import { driveSource, move, plansFor, quickly } from '#qemu/migration/guest-move.fixture.ts'
import { readMigration } from '#qemu/migration/report.ts'
import { queryRunState } from '#qemu/qmp/commands.ts'
import { brokenTicks, type Ticking } from '#qemu/ticking-disk.fixture.ts'

/** Writes 14 MiB per second, more than the bandwidth. */
const busy: Ticking = { mebibytes: 24, pagesPerTick: 200 }
const slow = { ...quickly, bandwidth: 6 << 20, maxDowntimeMs: 50 }
const patient = { progressTimeoutMs: 150_000, completionTimeoutMsPerGib: 150_000, allowPostCopy: false, allowWorkloadDisruption: false }

async function pair(t: TestContext, load: Ticking = busy, binary = systemQemu): Promise<{ source: TestQemu; target: TestQemu }> {
  const source = await startTicking(t, load)
  return { source, target: await startTarget(t, source, { binary }) }
}

/** A disk to copy: the source then waits before the switch. */
const boot = { node: 'disk-boot', sync: 'full' } as const

async function assertMoved({ source, target }: { source: TestQemu; target: TestQemu }, { step }: OutgoingState): Promise<void> {
  assert.deepEqual(step, { kind: 'end', outcome: 'completed', reason: '' })
  await until('the guest ticks on the target', () => target.printed().length > 5)
  assert.equal(brokenTicks(source.printed() + target.printed()), undefined)
}

async function assertStayed(source: TestQemu, { step }: OutgoingState, outcome: string, reason: RegExp): Promise<void> {
  assert.ok(step.kind === 'end' && step.outcome === outcome, JSON.stringify(step))
  assert.match(step.reason, reason)
  assert.equal(await queryRunState(source.qmp), 'running')
  const ticks = source.printed().length
  await until('the guest ticks on', () => source.printed().length > ticks + 3)
  assert.equal(brokenTicks(source.printed()), undefined)
}

async function certificates(t: TestContext): Promise<string> {
  const folder = join(await temporaryFolder(t), 'certificates')
  mkdirSync(folder)
  const authority = await renewAuthority('migrations', Date.now())
  writeFileSync(join(folder, 'ca-cert.pem'), authority.own.certificate)
  for (const usage of ['server', 'client'] as const) {
    const issued = await authority.issue(`CN=${usage}`, usage, Date.now())
    writeFileSync(join(folder, `${usage}-cert.pem`), issued.certificate)
    writeFileSync(join(folder, `${usage}-key.pem`), issued.key)
  }
  return folder
}

suite('migration modes', () => {
  const targets = [
    ['the same QEMU', systemQemu],
    ['a newer QEMU', newerQemu.binary],
  ] as const
  for (const [name, binary] of sample(targets, 1)) {
    const skip = binary === systemQemu ? false : newerQemu.skip

    test(`several streams, to ${name}`, { skip }, async (t) => {
      const guests = await pair(t, busy, binary)
      await assertMoved(guests, await move(guests.source, guests.target, { settings: { ...quickly, channels: 4 } }))
    })

    test(`post-copy after the time-out, to ${name}`, { skip }, async (t) => {
      const { source, target } = await pair(t, busy, binary)
      const { outgoing, incoming } = plansFor(target, {
        settings: { ...slow, postCopy: true },
        limits: { ...patient, completionTimeoutMsPerGib: 1_500, allowPostCopy: true },
      })
      await advanceIncoming(target.qmp, incoming)
      const steps: string[] = []
      const state = await driveSource(source.qmp, outgoing, async ({ step, observed }) => {
        steps.push(step.kind)
        if (observed.report.status !== 'postcopy-active') return false
        const there = await advanceIncoming(target.qmp, incoming)
        if (there.kind === 'arriving') await takeOver(target.qmp, true)
        return false
      })
      assert.ok(steps.includes('postCopy'))
      await assertMoved({ source, target }, state)
    })

    test(`with certificates, to ${name}`, { skip }, async (t) => {
      const guests = await pair(t, {}, binary)
      const tls = { directory: await certificates(t), targetName: 'localhost' }
      await assertMoved(guests, await move(guests.source, guests.target, { settings: { ...quickly, tls } }))
    })
  }

  test('over TCP, on a port that QEMU chooses', async (t) => {
    const { source, target } = await pair(t, {})
    const { outgoing, incoming } = plansFor(target, { memory: { kind: 'tcp', host: '127.0.0.1', port: 0 } })
    const state = await advanceIncoming(target.qmp, incoming)
    assert.ok(state.kind === 'listening' && state.listens.kind === 'tcp' && state.listens.port > 0)
    const end = await driveSource(source.qmp, { ...outgoing, memory: state.listens })
    await takeOver(target.qmp, true)
    await assertMoved({ source, target }, end)
  })

  test('a target with another name in its certificate is refused', async (t) => {
    const { source, target } = await pair(t, {})
    const tls = { directory: await certificates(t), targetName: 'somebody.else' }
    await assertStayed(source, await move(source, target, { settings: { ...quickly, tls } }), 'failed', /does not match the hostname/)
  })

  test('a paused guest is migrated and stays paused', async (t) => {
    const { source, target } = await pair(t)
    await source.qmp.execute('stop')
    await move(source, target, { runs: false })
    assert.equal(await queryRunState(target.qmp), 'paused')
    await takeOver(target.qmp, true)
    await until('the guest ticks on the target', () => target.printed().length > 5)
    assert.equal(brokenTicks(source.printed() + target.printed()), undefined)
  })

  test('a guest that writes faster than the stream is throttled if auto-converge is allowed', async (t) => {
    const { source, target } = await pair(t)
    const { outgoing, incoming } = plansFor(target, { settings: { ...slow, autoConverge: true } })
    await advanceIncoming(target.qmp, incoming)
    // That this helps in the end takes half a minute under emulation.
    await driveSource(source.qmp, outgoing, async () => {
      const { 'cpu-throttle-percentage': percentage = 0 } = (await source.qmp.execute('query-migrate')) as Readonly<Record<string, number>>
      return percentage > 0
    })
  })

  test('a migration that does not converge is cancelled after its completion timeout', async (t) => {
    const { source, target } = await pair(t)
    const limits = { ...patient, completionTimeoutMsPerGib: 1_000 }
    await assertStayed(source, await move(source, target, { settings: slow, limits }), 'failed', /not completed after/)
    assert.equal(await target.exited, 1)
  })

  test('a stream without progress is cancelled', async (t) => {
    const { source, target } = await pair(t)
    const { outgoing, incoming } = plansFor(target, { settings: slow, limits: { ...patient, progressTimeoutMs: 700 } })
    await advanceIncoming(target.qmp, incoming)
    process.kill(target.pid, 'SIGSTOP')
    await assertStayed(source, await driveSource(source.qmp, outgoing), 'failed', /stuck/)
  })

  test('a guest is paused to converge, if workload disruption is allowed', async (t) => {
    const guests = await pair(t, { mebibytes: 24, pagesPerTick: 600 })
    const limits = { ...patient, completionTimeoutMsPerGib: 2_000, allowWorkloadDisruption: true }
    await assertMoved(guests, await move(guests.source, guests.target, { settings: { ...slow, bandwidth: 20 << 20 }, limits }))
  })
})

suite('cancellation', () => {
  const moments: readonly (readonly [string, (source: TestQemu, state: OutgoingState) => boolean | Promise<boolean>])[] = [
    ['before anything', () => true],
    ['at the start', () => true],
    ['while memory flows', (_, { observed }) => (observed.report.progress?.transferredBytes ?? 0) > 1 << 18],
    [
      'at the switchover',
      async ({ qmp }, { observed }) => {
        // The migration makes no progress without a driver.
        if (observed.note?.phase === 'started')
          await until('the source waits', async () => (await readMigration(qmp)).status === 'pre-switchover')
        return observed.note?.phase === 'started'
      },
    ],
  ]
  for (const [name, isMoment] of sample(moments, 2)) {
    test(`${name} leaves the guest on the source, and the next migration succeeds`, async (t) => {
      const source = await startTicking(t, { mebibytes: 24, pagesPerTick: 20 })
      const target = await startTarget(t, source, { ownDisks: ['boot.img'] })
      const { outgoing, incoming } = plansFor(target, { disks: [boot], settings: { ...quickly, bandwidth: 2 << 20, maxDowntimeMs: 900 } })
      await advanceIncoming(target.qmp, incoming)
      if (name !== 'before anything') await driveSource(source.qmp, outgoing, (state) => isMoment(source, state))
      const state = await driveSource(source.qmp, { ...outgoing, cancel: true })
      await assertStayed(source, state, 'cancelled', /./)
      const status = await readMigration(source.qmp)
      const answer = { kind: 'answers', status: status.status, runState: await queryRunState(source.qmp) } as const
      assert.equal(ownership(answer, { kind: 'silent' }, false).owner, 'source')
      await target.kill()
      const again = await startTarget(t, source)
      await assertMoved({ source, target: again }, await move(source, again, { id: 'two' }))
    })
  }
})
