import { mkdtemp, rm } from 'node:fs/promises'
import type { Pod } from '#api/core/v1/pod.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { installationOn } from '../../test/kubernetes/installation/installation.ts'
import { KubernetesCluster } from '../../test/kubernetes/kubernetes-cluster.ts'
import type { RunningGuest } from '#machine/guests/running-guests.ts'
import { guestsOn } from '../../test/kubernetes/installation/guests-on-nodes.ts'
import { foldersOf } from '../../test/kubernetes/settings.ts'
import { demoVirtualMachine } from '../../test/support/manifests.ts'
import { startMachine } from '../../test/support/machine.ts'
import { startBareQemu, type BareQemu } from '../bare-qemu.ts'
import { memoryOf } from '../memory.ts'
import { mebibytes, percentile, time, type Row } from '../measure.ts'
import { writesByKind } from '../request-counts.ts'
import { waitFor } from '../wait-for.ts'
import { saysReady, startSingles, untilStarted, type SingleStarts } from './virtual-machines.ts'

const ROUNDS = 5
const AT_ONCE = Number(process.env['BENCH_VMS_AT_ONCE'] ?? 100)

/** Starts on a cluster; memory is that of the whole node, per VM and in KiB. */
interface ClusterStarts extends SingleStarts, ManyStarts {}

/** Starts and removal of many VMs at once, in milliseconds. */
interface ManyStarts {
  readonly many: readonly number[]
  readonly removalMs: number
  /** Restarts of the components' containers, by pod: none while guests take all CPU time. */
  readonly restarts: readonly string[]
}

/**
 * Starts of VMs on a real cluster of one node, beside machine mode and bare QEMU in the same run.
 */
export async function kubernetesRows(): Promise<Row[]> {
  const { ours, bare } = await measureMachine()
  const there = await measureCluster()
  const [p50, ready, p95] = [percentile(there.running, 0.5), percentile(there.userspace, 0.5), percentile(there.many, 0.95)]
  const [p50Here, readyHere] = [percentile(ours.running, 0.5), percentile(ours.userspace, 0.5)]
  const ratio = (one: number, other: number): string => `${(one / other).toFixed(1)}×`
  const row = (what: string, measured: string, peer: string): Row => ({ what, measured, budget: '', within: undefined, peer })
  return [
    row(
      'on a cluster: VM created → first instruction (p50, one at a time)',
      time(p50),
      `machine mode ${time(p50Here)}: ${ratio(p50, p50Here)}; bare QEMU ${time(bare.runningMs)}: ${ratio(p50, bare.runningMs)}`,
    ),
    row(
      'on a cluster: VM created → guest userspace (p50)',
      time(ready),
      `machine mode ${time(readyHere)}: ${ratio(ready, readyHere)}; bare QEMU ${time(bare.userspaceMs)}: ${ratio(ready, bare.userspaceMs)}`,
    ),
    row(
      `on a cluster: VM created → first instruction (p50 and p95, ${AT_ONCE} at once on one kubelet)`,
      `${time(percentile(there.many, 0.5))}, ${time(p95)}`,
      'KubeVirt p95 20–38 s for 100 on many nodes (not run here)',
    ),
    row(
      `on a cluster: removal of ${AT_ONCE} VMs at once, and restarts of components until then`,
      `${time(there.removalMs)}, ${there.restarts.length === 0 ? 'none' : there.restarts.join(', ')}`,
      '',
    ),
    row(
      'on a cluster: updates and patches of VMIs and pods per VM start',
      there.writes.toFixed(1),
      `machine mode ${ours.writes.toFixed(1)}`,
    ),
    row(
      'on a cluster: memory of a VM over its guest RAM of 96 MiB, with pause, shim and shares of the node (PSS)',
      mebibytes(there.pss - 96 * 1024),
      `QEMU alone in machine mode ${mebibytes(ours.pss - 96 * 1024)}, bare ${mebibytes(bare.memory.pss - 96 * 1024)}; KubeVirt 290 MiB (not run here)`,
    ),
  ]
}

async function measureMachine(): Promise<{ ours: SingleStarts; bare: BareQemu }> {
  await using machine = await startMachine()
  return { ours: await startSingles(machine, ROUNDS), bare: await startBareQemu(machine.home) }
}

async function measureCluster(): Promise<ClusterStarts> {
  const work = await mkdtemp(join(tmpdir(), 'steadyvm-bench-'))
  const folders = foldersOf({ home: join(work, 'cluster') })
  const cluster = new KubernetesCluster(folders, () => {})
  if (cluster.obstacle !== undefined) throw new Error(cluster.obstacle)
  const { installCheckout } = installationOn(cluster, { work })
  try {
    await cluster.up({ nodes: 1, features: 'ImageVolume=true' })
    await installCheckout()
    // All fit on the node: their requests are not what is measured.
    const configuration = { developerConfiguration: { cpuAllocationRatio: 200 } }
    const patch = JSON.stringify({ spec: { configuration } })
    await cluster.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', patch])
    await sleep(5_000)
    const singles = await startSinglesOn(cluster)
    return { ...singles, ...(await startMany(cluster)) }
  } finally {
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  }
}

async function startSinglesOn(cluster: KubernetesCluster): Promise<SingleStarts> {
  const running: number[] = []
  const userspace: number[] = []
  const [before, memoryBefore] = [await writesByKind(cluster), memoryOfNodes(cluster)]
  for (let round = 0; round < ROUNDS; round++) {
    const name = `single-${round}`
    const started = await create(cluster, [name])
    running.push(((await untilAllRun(cluster, [name])).get(name) ?? Number.NaN) - started)
    const guest = guestsOn(cluster.hosts).find((one) => one.name === name)
    await waitFor(`the guest of VM ${name} has booted`, () => saysReady(guest?.serialLog ?? ''), { everyMs: 10 })
    userspace.push(performance.now() - started)
    await sleep(500)
  }
  const writes = (await writesByKind(cluster)).minus(before)
  await sleep(2_000)
  const pss = (memoryOfNodes(cluster) - memoryBefore) / ROUNDS
  await removeAll(cluster)
  return { running, userspace, writes: (writes.of('virtualmachineinstances') + writes.of('pods')) / ROUNDS, pss }
}

async function startMany(cluster: KubernetesCluster): Promise<ManyStarts> {
  const names = Array.from({ length: AT_ONCE }, (_, index) => `many-${index}`)
  const started = await create(cluster, names)
  const many = [...(await untilAllRun(cluster, names)).values()].map((ms) => ms - started)
  const removed = performance.now()
  await removeAll(cluster)
  return { many, removalMs: performance.now() - removed, restarts: await restartsOfComponents(cluster) }
}

async function restartsOfComponents(cluster: KubernetesCluster): Promise<readonly string[]> {
  const { items } = JSON.parse(await cluster.kubectl(['get', 'pods', '-n', 'kubevirt', '-o', 'json'])) as { items: Pod[] }
  return items.flatMap(({ metadata, status }) => {
    const count = status?.containerStatuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0
    return count === 0 ? [] : [`${metadata.name}: ${count}`]
  })
}

async function create(cluster: KubernetesCluster, names: readonly string[]): Promise<number> {
  const items = names.map((name) => JSON.parse(demoVirtualMachine(name)) as object)
  const started = performance.now()
  await cluster.kubectl(['create', '-f', '-'], items)
  return started
}

async function removeAll(cluster: KubernetesCluster): Promise<void> {
  await cluster.kubectl(['delete', 'vm', '--all', '--wait=false'])
  await waitFor('all guests have ended', () => guestsOn(cluster.hosts).length === 0, { everyMs: 500, limitMs: 600_000 })
}

/** Returns when the CPUs of each guest began to run. */
async function untilAllRun(cluster: KubernetesCluster, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const wanted = new Set(names)
  const started: Promise<readonly [string, number]>[] = []
  const start = ({ name, monitorSocket = '' }: RunningGuest): void => {
    if (wanted.delete(name)) started.push(untilStarted(monitorSocket).then((ms) => [name, ms] as const))
  }
  const haveStarted = (): boolean => {
    guestsOn(cluster.hosts).forEach(start)
    return wanted.size === 0
  }
  await waitFor(`QEMU runs for ${names.length} VMs`, haveStarted, { everyMs: names.length === 1 ? 10 : 200, limitMs: 1_200_000 })
  return new Map(await Promise.all(started))
}

function memoryOfNodes(cluster: KubernetesCluster): number {
  return cluster.hosts.flatMap(({ processes }) => processes).reduce((sum, { pid }) => sum + memoryOf(pid).pss, 0)
}
