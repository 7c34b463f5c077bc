import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test, type TestContext } from 'node:test'
import { createSeededRandom } from '#runtime/process/seeded-random.fixture.ts'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachineInstanceMigrations as migrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { Cluster } from '#cli/cluster/connect.ts'
import { runInGuest } from '#machine/guests/serial-console.ts'
import { eventually, repository, startMachine, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { demoVirtualMachine } from '../support/manifests.ts'
import { createMigration, awaitMigrationEnd } from '../support/migrations.ts'
import { watchRuns, type MoveReport } from '../support/observers/run-watch.ts'
import { repeats, seedOr } from '../support/effort.ts'

/** Number of migrations of one guest in a row, and of cancelled ones. */
const moves = repeats({ default: 1, long: 3 })
/** Number of guests that are migrated at once. */
const atOnce = 3
const seed = seedOr(1)
const namespace = 'default'

/**
 * Writes constant content to memory and disk, and starts a loop that writes to both and verifies
 * what it reads.
 */
const begin = [
  'cd /tmp',
  // Anything will do that is there and not all zero.
  'make() { dd if=/bin/busybox of=$1 bs=64k count=8 skip=$2; }; make a 0; make b 8; make kept 16',
  'cat kept kept kept >/dev/vda',
  'sha256sum kept >sums',
  'dd if=/dev/vda bs=512k count=3 2>/dev/null | sha256sum >>sums',
].join('; ')
const work = [
  'i=0; while true; do i=$((i+1)); p=/tmp/a; [ $((i%2)) = 0 ] && p=/tmp/b',
  'dd if=$p of=/dev/vda bs=64k seek=512 conv=fsync; cp $p /tmp/copy; echo 1 >/proc/sys/vm/drop_caches',
  'dd if=/dev/vda bs=64k skip=512 count=8 | cmp -s - $p || echo disk $i >>/tmp/broken',
  'cmp -s /tmp/copy $p || echo memory $i >>/tmp/broken',
  'echo $i >/tmp/next; mv /tmp/next /tmp/i; done',
].join('; ')
/** Reads the state that must never change, and, on a line of its own, the counter that must. */
const look = [
  'cd /tmp; sha256sum kept >now; dd if=/dev/vda bs=512k count=3 2>/dev/null | sha256sum >>now; cmp sums now && echo intact',
  'cat /proc/sys/kernel/random/boot_id sums broken 2>/dev/null; echo; cat i',
].join('; ')

suite('migrations of a busy guest', { skip: machineModeOnly('reads the QMP sockets of the data directory') }, () => {
  let machine: TestMachine
  let cluster: Cluster
  let first: string | undefined
  let rounds = 0
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    cluster = await machine.connect()
    await machine.kubectl(['apply', '-f', join(repository, 'examples')])
    await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=300s'])
    await inGuest(begin)
    await inGuest(`setsid sh -c '${work}' >/dev/null 2>&1 &`)
    await inGuest('until [ -e /tmp/i ]; do sleep 1; done')
    await assertWhole('before any move')
  })
  after(async () => {
    cluster[Symbol.dispose]()
    await machine[Symbol.asyncDispose]()
  })

  const inGuest = async (command: string): Promise<string> => {
    const socket = machine.guests().find((guest) => guest.name === 'demo')?.serialSocket
    assert.ok(socket, 'the guest does not run')
    return (await runInGuest(socket, { command, id: randomUUID().slice(0, 8), timeoutMs: 400_000 })).output
  }
  const assertWhole = async (when: string): Promise<void> => {
    // The console would be that of a QEMU which is about to end.
    await eventually(
      () => machine.guests().length === 1,
      () => `${when}: ${machine.guests().length} QEMUs are left`,
      200_000,
    )
    const [, kept = '', worked = ''] = /^([^]*)\n\n(\d+)\s*$/.exec(await inGuest(look)) ?? []
    assert.match(kept, /^intact$/m, when)
    first ??= kept
    assert.equal(kept, first, when)
    const now = Number(worked)
    assert.ok(now > rounds, `${when}: the work goes on, ${rounds} → ${now}`)
    rounds = now
  }

  test(`${moves} in a row keep memory and disk intact`, async (t) => {
    await using watch = watchRuns(machine.home, 'default_demo')
    const reports: (MoveReport & { readonly totalMs: number })[] = []
    for (let round = 1; round <= moves; round++) {
      const started = performance.now()
      const ended = await awaitMigrationEnd(cluster.client, await createMigration(cluster.client, 'demo'))
      assert.equal(ended?.status?.phase, 'Succeeded', ended?.status?.migrationState?.failureReason ?? 'it has gone')
      reports.push({ ...watch.last(), totalMs: performance.now() - started })
      await assertWhole(`after move ${round}`)
    }
    tell(t, reports)
  })

  test(`${moves} cancelled at random times keep memory and disk intact (STEADYVM_SEED=${seed})`, async (t) => {
    const random = createSeededRandom(seed).number
    let through = 0
    for (let round = 1; round <= moves; round++) {
      const name = await createMigration(cluster.client, 'demo')
      const afterMs = Math.round(random() * 3_000)
      await sleep(afterMs)
      await cluster.client.delete(migrations, { namespace, name })
      const ended = await awaitMigrationEnd(cluster.client, name)
      if (ended?.status?.phase === 'Succeeded') through += 1
      await assertWhole(`called off after ${afterMs} ms`)
    }
    t.diagnostic(`${through} of ${moves} were through, or could not be called off any more`)
  })
})

suite('migrations of many guests', { skip: machineModeOnly('reads the QMP sockets of the data directory') }, () => {
  test(`${atOnce} at once respect the limits, and all succeed`, async (t) => {
    await using machine = await startMachine({ nodes: 3 })
    using cluster = await machine.connect()
    const { client } = cluster
    const names = Array.from({ length: atOnce }, (_, index) => `many-${index}`)
    for (const name of names) await machine.kubectl(['create', '-f', '-'], demoVirtualMachine(name, { memory: '64Mi' }))
    await machine.kubectl(['wait', 'vm', '--all', '--for=condition=Ready', '--timeout=300s'])
    const before = new Map((await client.list(virtualMachineInstances, { namespace })).items.map((vmi) => [vmi.metadata.name, vmi]))
    const started = performance.now()
    const asked = await Promise.all(names.map((name) => createMigration(client, name)))
    let [most, mostFromOne, isOver] = [0, 0, false]
    const looking = (async () => {
      while (!isOver) {
        const going = await movesUnderWay(client)
        most = Math.max(most, going.length)
        mostFromOne = Math.max(mostFromOne, ...new Set(going).keys().map((node) => going.filter((other) => other === node).length))
        await sleep(150)
      }
    })()
    const ends = await Promise.all(asked.map((name) => awaitMigrationEnd(client, name, 1_200_000)))
    isOver = true
    await looking
    assert.deepEqual(
      ends.map((each) => each?.status?.migrationState?.failureReason ?? each?.status?.phase),
      ends.map(() => 'Succeeded'),
    )
    t.diagnostic(
      `${atOnce} guests in ${((performance.now() - started) / 1000).toFixed(1)} s, at most ${most} at once, ${mostFromOne} from one node`,
    )
    assert.ok(most <= 5 && mostFromOne <= 2, `${most} at once, ${mostFromOne} from one node`)
    for (const { metadata, status } of (await client.list(virtualMachineInstances, { namespace })).items) {
      const old = before.get(metadata.name)
      assert.equal(metadata.uid, old?.metadata.uid)
      assert.equal(status?.phase, 'Running')
      assert.notEqual(status?.nodeName, old?.status?.nodeName)
    }
    await eventually(
      () => machine.guests().length === atOnce,
      () => `${machine.guests().length} QEMUs for ${atOnce} guests`,
    )
  })
})

/** Returns the source nodes of migrations whose target pod exists. */
async function movesUnderWay(client: Cluster['client']): Promise<string[]> {
  const [objects, vmis, launchers] = await Promise.all([
    client.list(migrations, { namespace }),
    client.list(virtualMachineInstances, { namespace }),
    client.list(pods, { namespace }),
  ])
  const targets = new Set(launchers.items.map(({ metadata }) => metadata.labels?.['kubevirt.io/migrationJobUID']))
  return objects.items.flatMap(({ metadata, spec, status }) => {
    if (!targets.has(metadata.uid ?? '') || status?.phase === 'Succeeded' || status?.phase === 'Failed') return []
    const state = vmis.items.find((vmi) => vmi.metadata.name === spec.vmiName)?.status
    // What is between the end of one and its word of it counts for the node that it came from.
    const node = state?.migrationState?.migrationUid === metadata.uid ? state?.migrationState?.sourceNode : state?.nodeName
    return node === undefined ? [] : [node]
  })
}

function tell(t: TestContext, reports: readonly (MoveReport & { readonly totalMs: number })[]): void {
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  const totals = reports.map(({ totalMs }) => totalMs)
  const stills = reports.map(({ stillMs }) => stillMs)
  const rates = reports.flatMap(({ report }) => (report?.progress === undefined ? [] : [report.progress.bandwidth / 2 ** 20]))
  const of = (values: readonly number[]): string => `${middle(values).toFixed(0)} (at most ${Math.max(...values).toFixed(0)})`
  t.diagnostic(`total ${of(totals)} ms, still ${of(stills)} ms, ${middle(rates).toFixed(0)} MiB/s`)
}
