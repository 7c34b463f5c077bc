import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { connectCluster, type Cluster } from '#cli/cluster/connect.ts'
import { found } from '#client/found.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { findGuests } from '#machine/guests/running-guests.ts'
import { pkiPaths } from '#machine/pki/pki.ts'
import { runInGuest } from '#machine/guests/serial-console.ts'
import { until, type Ends } from '#qemu/guest.fixture.ts'
import { startMachine, type TestMachine } from '../../test/support/machine.ts'
import { demoVirtualMachine } from '../../test/support/manifests.ts'
import { createMigration, awaitMigrationEnd } from '#test/migrations.ts'
import { watchRuns } from '#test/observers/run-watch.ts'
import { moveByHand, startTwin, type BareMove } from '../bare-migration.ts'
import { ratios, sampleOf, words, type Sample } from '../migration-sample.ts'
import type { Row } from '../measure.ts'

const ROUNDS = 5
const COMMAND_MS = 120_000
const DISK_MIB = 64
const NAMESPACE = 'default'

interface Load {
  readonly name: string
  /** True if the guest has a local disk, which is migrated with it. */
  readonly hasDisk: boolean
  /** Shell command that the guest repeats. */
  readonly work?: string
}

const loads: readonly Load[] = [
  { name: 'idle', hasDisk: false },
  { name: '8 MiB of memory written over and over', hasDisk: false, work: 'dd if=source of=copy bs=64k conv=notrunc' },
  { name: `a disk of ${DISK_MIB} MiB copied and written`, hasDisk: true, work: 'dd if=source of=/dev/vda bs=64k conv=fsync' },
]

/**
 * Live migrations that the control plane is asked for, until it says that they are over, next to
 * the same guest in two QEMUs that are told by hand.
 */
export async function liveMigrationRows(): Promise<Row[]> {
  await using machine = await startMachine({ nodes: 2 })
  using cluster = await connectCluster(dataDirectory(machine.home))
  const rows: Row[] = []
  for (const [index, load] of loads.entries()) rows.push(await row(machine, cluster, { load, name: `moved-${index}` }))
  return rows
}

async function row(machine: TestMachine, cluster: Cluster, { load, name }: { readonly load: Load; readonly name: string }): Promise<Row> {
  await using stack = new AsyncDisposableStack()
  const t: Ends = { after: (end) => stack.defer(async () => void (await end())) }
  await machine.kubectl(
    ['create', '-f', '-'],
    demoVirtualMachine(name, { memory: '128Mi', ...(load.hasDisk ? { disk: `${DISK_MIB}Mi` } : {}) }),
  )
  await machine.kubectl(['wait', 'vm', name, '--for=condition=Ready', '--timeout=120s'])
  const guest = findGuests(machine.home).find((guest) => guest.name === name)
  if (guest?.serialSocket === undefined) throw new Error(`There is no guest "${name}"`)
  const move = bareMove(machine.home, load)
  const twin = await startTwin(t, guest, move)
  // The one waits while the other is measured, which is not free on a machine without hardware
  // virtualization.
  await twin.qmp.execute('stop')
  await work(guest.serialSocket, load)
  const samples = await moveByControlPlane(machine, cluster, { load, name })
  await machine.kubectl(['delete', 'vm', name, '--timeout=120s'])
  await until('the guest has gone', () => isGone(cluster, name), COMMAND_MS)
  await twin.qmp.execute('cont')
  await work(join(twin.folder, 'serial'), load)
  const peer: Sample[] = []
  let here = twin
  for (let round = 0; round < ROUNDS; round++) {
    const { target, sample } = await moveByHand(t, here, move)
    peer.push(sample)
    await here.kill()
    here = target
  }
  await mustWork(join(here.folder, 'serial'), load)
  return {
    what: `live migration by the control plane, 128 MiB, ${load.name} (p50 of ${ROUNDS})`,
    measured: words(samples),
    budget: '',
    within: undefined,
    peer: `bare QEMU, with the start of its target: ${words(peer)}; the control plane has ${ratios(samples, peer)}`,
  }
}

async function moveByControlPlane(
  machine: TestMachine,
  { client }: Cluster,
  { load, name }: { readonly load: Load; readonly name: string },
): Promise<Sample[]> {
  await using watch = watchRuns(machine.home, `${NAMESPACE}_${name}`)
  const samples: Sample[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    const ended = await awaitMigrationEnd(client, await createMigration(client, name))
    const totalMs = performance.now() - started
    const { phase, migrationState } = ended?.status ?? {}
    if (phase !== 'Succeeded') throw new Error(`The migration is ${phase}: ${migrationState?.failureReason}`)
    await until('the source has gone', () => findGuests(machine.home).length === 1, COMMAND_MS)
    const { stillMs, report } = watch.last()
    if (report === undefined) throw new Error('The QEMU of the source has ended before it was asked')
    samples.push(sampleOf({ totalMs, stillMs }, report))
  }
  await mustWork(findGuests(machine.home).find((guest) => guest.name === name)?.serialSocket ?? '', load)
  return samples
}

/** Settings that the control plane sends to QEMU by default. */
function bareMove(home: string, { hasDisk }: Load): BareMove {
  const { directory } = pkiPaths(dataDirectory(home).pki).migration('node-1')
  return {
    settings: { maxDowntimeMs: 900, autoConverge: false, postCopy: false, channels: 8, tls: { directory, targetName: 'localhost' } },
    disks: hasDisk ? [{ node: 'disk-scratch', sync: 'full', image: 'scratch.qcow2', bytes: DISK_MIB << 20 }] : [],
  }
}

/** Something that is not all zero, and what writes it again and again. */
async function work(socket: string, { work: once }: Load): Promise<void> {
  if (once === undefined) return inGuest(socket, 'true')
  const loop = `i=0; while true; do ${once}; i=$((i+1)); echo $i >rounds; done`
  await inGuest(socket, `cd /tmp; for n in 1 2 3 4 5 6 7 8; do dd if=/bin/busybox bs=1M count=1; done >source 2>/dev/null`)
  await inGuest(socket, `cd /tmp; setsid sh -c '${loop}' >/dev/null 2>&1 &`)
}

/** A guest that was moved often enough still does what it did. */
async function mustWork(socket: string, { work: once }: Load): Promise<void> {
  if (once === undefined) return inGuest(socket, 'true')
  await inGuest(socket, 'cd /tmp; before=$(cat rounds); while [ "$(cat rounds)" = "$before" ]; do sleep 1; done')
}

async function inGuest(socket: string, command: string): Promise<void> {
  const { exitCode, output } = await runInGuest(socket, { command, id: randomUUID().slice(0, 8), timeoutMs: COMMAND_MS })
  if (exitCode !== 0) throw new Error(`"${command}" ended with ${exitCode} in the guest: ${output}`)
}

async function isGone({ client }: Cluster, name: string): Promise<boolean> {
  return (await found(client.get(virtualMachineInstances, { namespace: NAMESPACE, name }))) === undefined
}
