import { readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename, join } from 'node:path'
import type { RunningGuest } from '#machine/guests/running-guests.ts'
import { startQemu, temporaryFolder, until, type Ends, type TestQemu } from '#qemu/guest.fixture.ts'
import {
  advanceIncoming,
  connectQmp,
  createDiskImage,
  hardwareArguments,
  incomingArguments,
  readHotplugged,
  takeOver,
} from '#qemu/index.ts'
import { relocatePaths, type Relocate } from '#qemu/launch/host-paths.ts'
import { finishDiskCopy, readDiskCopies, startDiskCopy, type CopiedDisk } from '#qemu/migration/disk-copies.ts'
import { migrationUri } from '#qemu/migration/endpoint.ts'
import { plansFor } from '#qemu/migration/guest-move.fixture.ts'
import type { OutgoingPlan } from '#qemu/migration/outgoing.ts'
import { readMigration, type MigrationReport } from '#qemu/migration/report.ts'
import { configure, readCertificates, type MigrationSettings } from '#qemu/migration/settings.ts'
import { sampleOf, type Sample } from './migration-sample.ts'
import { waitFor } from './wait-for.ts'

/** Milliseconds between two looks at what QEMU does. */
const LOOK_MS = 5

/** Settings, disks and migration of a guest without the control plane. */
export interface BareMove {
  readonly settings: MigrationSettings
  /** Disks that only one side has, and the size of their images. */
  readonly disks: readonly (CopiedDisk & { readonly image: string; readonly bytes: number })[]
}

/**
 * Starts by hand what a running guest was started with, from devices to flags. Its disks are empty
 * ones of its own.
 */
export async function startTwin(t: Ends, { process, monitorSocket = '' }: RunningGuest, { disks }: BareMove): Promise<TestQemu> {
  const [binary = '', ...args] = readFileSync(`/proc/${process.pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  using qmp = await connectQmp(monitorSocket)
  const hardware = hardwareArguments(args, await readHotplugged(qmp))
  const folder = await folderWith(t, disks)
  const twin = await startQemu(t, binary, relocatePaths(hardware, into(folder)), folder)
  setPriority(twin.pid, getPriority(process.pid))
  return twin
}

/**
 * Migrates a guest with the minimum of commands, without ownership checks. The clock runs from
 * before the start of the target's QEMU, as it does for a client of the control plane.
 */
export async function moveByHand(
  t: Ends,
  source: TestQemu,
  move: BareMove,
): Promise<{ readonly target: TestQemu; readonly sample: Sample }> {
  const started = performance.now()
  const { disks, settings } = move
  const folder = await folderWith(t, disks)
  const args = incomingArguments(source.arguments, into(folder), await readHotplugged(source.qmp))
  // Without disks to wait for, it runs as soon as it has everything.
  const target = await startQemu(t, source.binary, disks.length > 0 ? args : args.filter((word) => word !== '-S'), folder)
  setPriority(target.pid, getPriority(source.pid))
  const { outgoing, incoming } = plansFor(target, { settings, disks })
  let stoppedMs = 0
  let resumedMs = 0
  source.qmp.onEvent(({ event, timestampMs }) => event === 'STOP' && (stoppedMs = timestampMs))
  target.qmp.onEvent(({ event, timestampMs }) => event === 'RESUME' && (resumedMs = timestampMs))
  await advanceIncoming(target.qmp, incoming)
  const report = await send(source, outgoing)
  if (disks.length > 0) {
    await until('the target has everything', async () => (await readMigration(target.qmp)).status === 'completed')
    await takeOver(target.qmp, true)
  }
  await until('the target runs', () => resumedMs > 0)
  return { target, sample: sampleOf({ totalMs: performance.now() - started, stillMs: resumedMs - stoppedMs }, report) }
}

async function send({ qmp }: TestQemu, { disks, settings, memory, storage }: OutgoingPlan): Promise<MigrationReport> {
  await readCertificates(qmp, settings.tls, 'source')
  for (const disk of disks) if (storage !== undefined) await startDiskCopy(qmp, disk, { storage, settings })
  await until('the disks are copied', async () => (await readDiskCopies(qmp)).every(({ state }) => state === 'ready'), 120_000)
  await configure(qmp, settings, 'source', disks.length > 0)
  await qmp.execute('migrate', { uri: migrationUri(memory) })
  let report: MigrationReport | undefined
  const isOver = async (): Promise<boolean> => {
    report = await readMigration(qmp)
    if (report.status === 'failed') throw new Error(report.error)
    if (report.status === 'pre-switchover') {
      for (const { node } of disks) await finishDiskCopy(qmp, node)
      await until('the copies have ended', async () => (await readDiskCopies(qmp)).every(({ state }) => state === 'ended'))
      await qmp.execute('migrate-continue', { state: 'pre-switchover' })
    }
    return report.status === 'completed'
  }
  await waitFor('QEMU has migrated the guest', isOver, { everyMs: LOOK_MS })
  return report as MigrationReport
}

async function folderWith(t: Ends, disks: BareMove['disks']): Promise<string> {
  const folder = await temporaryFolder(t)
  for (const { image, bytes } of disks) await createDiskImage(join(folder, image), bytes)
  return folder
}

function into(folder: string): Relocate {
  return (path, { kind }) => (kind === 'socket' || kind === 'log' || kind === 'disk' ? join(folder, basename(path)) : path)
}
