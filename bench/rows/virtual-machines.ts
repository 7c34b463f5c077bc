import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectQmp, queryRunState } from '#qemu/index.ts'
import { findGuests, type RunningGuest } from '#machine/guests/running-guests.ts'
import { demoVirtualMachine } from '../../test/support/manifests.ts'
import { eventually, type TestMachine } from '../../test/support/machine.ts'
import { connectCluster } from '#cli/cluster/connect.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { startBareQemu } from '../bare-qemu.ts'
import { memoryOf } from '../memory.ts'
import { mebibytes, percentile, time, type Row } from '../measure.ts'
import { writesByKind } from '../request-counts.ts'
import { waitFor } from '../wait-for.ts'

const SINGLE_ROUNDS = 5
const AT_ONCE = Number(process.env['BENCH_VMS_AT_ONCE'] ?? 20)

/** Starts of VMs, one at a time, in milliseconds since their creation. */
export interface SingleStarts {
  readonly running: readonly number[]
  readonly userspace: readonly number[]
  /** Updates and patches of VMIs and pods, per start. */
  readonly writes: number
  /** Memory of the last guest's QEMU, in KiB. */
  readonly pss: number
}

/** Creates a VM, and returns when the request was sent. */
type CreateVm = (name: string) => Promise<number>

/** Starts VMs one at a time, measures, and deletes them. */
export async function startSingles(machine: TestMachine, rounds: number = SINGLE_ROUNDS): Promise<SingleStarts> {
  using cluster = await connectCluster(dataDirectory(machine.home))
  const create = creatorOf(cluster.client)
  const running: number[] = []
  const userspace: number[] = []
  const before = await writesByKind(machine)
  for (let round = 0; round < rounds; round++) {
    const name = `single-${round}`
    const started = await create(name)
    running.push((await untilRunning(machine, name)) - started)
    userspace.push((await untilUserspace(machine, name)) - started)
    await sleep(500)
  }
  // Deletion writes too; what is counted is the starts, so that all guests go afterwards.
  const writes = (await writesByKind(machine)).minus(before)
  const { pss } = await vmMemory(machine, `single-${rounds - 1}`)
  for (let round = 0; round < rounds; round++) await remove(machine, cluster.client, `single-${round}`)
  return { running, userspace, writes: (writes.of('virtualmachineinstances') + writes.of('pods')) / rounds, pss }
}

function creatorOf(client: Client): CreateVm {
  return async (name) => {
    const started = performance.now()
    await client.create(virtualMachines, JSON.parse(demoVirtualMachine(name)) as VirtualMachine)
    return started
  }
}

async function remove(machine: TestMachine, client: Client, name: string): Promise<void> {
  await client.delete(virtualMachines, { namespace: 'default', name })
  await eventually(
    () => findGuests(machine.home).find((guest) => guest.name === name) === undefined,
    () => `${name} still runs`,
  )
}

/**
 * From the creation of a VM to its guest's first instruction and to its userspace, one at a time
 * and many at once.
 */
export async function virtualMachineRows(machine: TestMachine): Promise<Row[]> {
  const { running, userspace, writes: perStart, pss } = await startSingles(machine)
  const bare = await startBareQemu(machine.home)
  using cluster = await connectCluster(dataDirectory(machine.home))
  const create = creatorOf(cluster.client)

  const names = Array.from({ length: AT_ONCE }, (_, index) => `many-${index}`)
  const starting = untilAllRun(machine, names)
  const created = new Map(await Promise.all(names.map(async (name) => [name, await create(name)] as const)))
  const many = [...(await starting)].map(([name, ms]) => ms - (created.get(name) ?? 0))
  await Promise.all(names.map((name) => remove(machine, cluster.client, name)))
  const p50 = percentile(running, 0.5)
  const p95 = percentile(many, 0.95)
  const ready = percentile(userspace, 0.5)
  const over = pss - bare.memory.pss
  return [
    {
      what: 'VM created → first instruction (p50, one at a time)',
      measured: time(p50),
      budget: '500 ms',
      within: p50 <= 500,
      peer: `bare QEMU ${time(bare.runningMs)}: ${(p50 / bare.runningMs).toFixed(1)}×`,
    },
    {
      what: `VM created → first instruction (p95, ${AT_ONCE} at once)`,
      measured: time(p95),
      budget: '2 s for 100',
      within: AT_ONCE < 100 ? undefined : p95 <= 2000,
      peer: 'KubeVirt p95 20–38 s for 100 (not run here)',
    },
    {
      what: 'VM created → guest userspace (p50)',
      measured: time(ready),
      budget: '5 s',
      within: ready <= 5000,
      peer: `bare QEMU ${time(bare.userspaceMs)}: ${(ready / bare.userspaceMs).toFixed(1)}×`,
    },
    {
      what: 'updates and patches of VMIs and pods per VM start',
      measured: perStart.toFixed(1),
      budget: '≤ 4',
      within: perStart <= 4,
      peer: 'KubeVirt ≈ 12.6 (not run here)',
    },
    {
      what: 'memory of a VM over bare QEMU (PSS)',
      measured: mebibytes(over),
      budget: '≤ 5 MiB',
      within: over <= 5 * 1024,
      peer: `bare QEMU ${mebibytes(bare.memory.pss)}, ours ${mebibytes(pss)}`,
    },
    {
      what: 'memory of a VM over its guest RAM of 96 MiB (PSS)',
      measured: mebibytes(pss - 96 * 1024),
      budget: '≤ 60 MiB',
      within: pss <= (96 + 60) * 1024,
      peer: 'KubeVirt 290 MiB (not run here)',
    },
  ]
}

async function untilRunning(machine: TestMachine, name: string): Promise<number> {
  return (await untilAllRun(machine, [name])).get(name) ?? Number.NaN
}

/**
 * Returns the times at which the guests started. One read of /proc serves all guests, because reads
 * cost time that would be measured too.
 */
export async function untilAllRun(machine: TestMachine, names: readonly string[]): Promise<Map<string, number>> {
  const wanted = new Set(names)
  const started: Promise<readonly [string, number]>[] = []
  const haveStarted = (): boolean => {
    for (const { name, monitorSocket } of findGuests(machine.home)) {
      if (monitorSocket === undefined || !wanted.delete(name)) continue
      started.push(untilStarted(monitorSocket).then((ms) => [name, ms] as const))
    }
    return wanted.size === 0
  }
  await waitFor(`QEMU runs for ${names.length} VMs`, haveStarted, { everyMs: names.length === 1 ? 5 : 25, limitMs: 600_000 })
  return new Map(await Promise.all(started))
}

/** Tries until QEMU's monitor is there and the CPUs run. */
export async function untilStarted(socket: string): Promise<number> {
  await waitFor(`the guest of ${socket} runs`, () => hasStarted(socket))
  return performance.now()
}

/** Returns whether the CPUs run. Waits for the RESUME event if QEMU runs and its CPUs do not. */
async function hasStarted(socket: string): Promise<boolean> {
  try {
    using qmp = await connectQmp(socket)
    const resumed = new Promise<void>((resolve) => void qmp.onEvent(({ event }) => event === 'RESUME' && resolve()))
    if ((await queryRunState(qmp)) === 'running') return true
    return await Promise.race([resumed.then(() => true), qmp.closed.then(() => true), sleep(30_000, false, { ref: false })])
  } catch {
    return false
  }
}

async function untilUserspace(machine: TestMachine, name: string): Promise<number> {
  const isReady = (): boolean => {
    const log = findGuests(machine.home).find((guest) => guest.name === name)?.serialLog
    return log !== undefined && saysReady(log)
  }
  await waitFor(`the guest of VM ${name} has booted`, isReady, { everyMs: 10 })
  return performance.now()
}

export function saysReady(log: string): boolean {
  try {
    return readFileSync(log, 'utf8').includes('steadyvm-guest: ready')
  } catch {
    return false
  }
}

async function vmMemory(machine: TestMachine, name: string): Promise<{ pss: number }> {
  const guest: RunningGuest | undefined = findGuests(machine.home).find((guest) => guest.name === name)
  await sleep(2_000)
  return memoryOf(guest?.process.pid ?? 0)
}
