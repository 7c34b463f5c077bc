import { setTimeout as sleep } from 'node:timers/promises'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import { connectCluster, type Cluster } from '#cli/cluster/connect.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import type { TestMachine } from '../../test/support/machine.ts'
import { cpuTicksOf, memoryOf } from '../memory.ts'
import { mebibytes, percentile, time, type Row } from '../measure.ts'
import { fill, publish } from './plan.ts'

const VMS = Number(process.env['BENCH_VMS'] ?? 10_000)
const LIMIT_MS = 600_000
const PROBE_EVERY_MS = 20
const TICKS_PER_SECOND = 100

/**
 * Measures the upgrade of two revisions of each of many halted VMs, and its effect on other
 * requests.
 */
export async function revisionRows(machine: TestMachine): Promise<Row[]> {
  using cluster = await connectCluster(dataDirectory(machine.home))
  await publish(machine)
  await fill(cluster, 0, VMS)
  await quiet(machine)
  const before = await probe(cluster, async () => sleep(5_000))
  const counted = await writesOf(machine)
  const cpuBefore = cpuOf(machine)
  const started = performance.now()
  await setGate(machine, 'InstancetypeV1')
  let took = 0
  const during = await probe(cluster, async () => {
    await swept(cluster)
    took = performance.now() - started
  })
  const cpu = [...cpuOf(machine)].map(
    ([role, ticks]) => `${role} ${((ticks - (cpuBefore.get(role) ?? 0)) / TICKS_PER_SECOND).toFixed(1)} s`,
  )
  const { rss } = memoryOf(machine.processes().find(({ role }) => role === 'virt-controller')?.pid ?? 0)
  await quiet(machine)
  const perVm = ((await writesOf(machine)) - counted) / VMS
  const count = VMS.toLocaleString('en')
  return [
    {
      what: `two stale revisions of each of ${count} VMs replaced`,
      measured: `${time(took)}, ${Math.round((VMS * 5) / (took / 1000))} writes/s`,
      budget: '< 60 s',
      within: took < 60_000 || VMS < 10_000,
      peer: 'KubeVirt: not before its client limit of 200/s allows it, 250 s for 50,000 writes (not run here)',
    },
    {
      what: '  writes a VM: revisions and VMs, all components',
      measured: perVm.toFixed(2),
      budget: '≤ 5',
      within: perVm <= 5.001,
      peer: '',
    },
    { what: '  CPU of it', measured: cpu.join(', '), budget: '', within: undefined, peer: '' },
    { what: '  virt-controller afterwards', measured: `RSS ${mebibytes(rss)}`, budget: '', within: undefined, peer: '' },
    {
      what: '  a create and a get of somebody else, meanwhile',
      measured: `p50 ${percentile(during, 0.5).toFixed(1)} ms, p99 ${percentile(during, 0.99).toFixed(1)} ms; when nothing happens p50 ${percentile(before, 0.5).toFixed(1)} ms, p99 ${percentile(before, 0.99).toFixed(1)} ms`,
      budget: '',
      within: undefined,
      peer: '',
    },
  ]
}

function cpuOf(machine: TestMachine): Map<string, number> {
  const processes = machine.processes().filter(({ role }) => ['apiserver', 'virt-controller', 'virt-api'].includes(role))
  return new Map(processes.map(({ role, pid }) => [role, cpuTicksOf(pid)]))
}

async function setGate(machine: TestMachine, gate: string): Promise<void> {
  const patch = { spec: { configuration: { developerConfiguration: { featureGates: [gate] } } } }
  await machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type', 'merge', '-p', JSON.stringify(patch)])
}

/** Resolves when no revision of the old version is left. */
async function swept({ client }: Cluster): Promise<void> {
  const limit = performance.now() + LIMIT_MS
  while (performance.now() < limit) {
    // One will do to know that it is not over, so that asking costs next to nothing.
    const labelSelector = 'instancetype.kubevirt.io/object-version=v1beta1'
    const { items } = await client.list(controllerRevisions, { namespace: 'default', labelSelector, limit: 1 })
    if (items.length === 0) return
    await sleep(250)
  }
  throw new RangeError('The sweep did not end in time')
}

/** Latency of another client's requests during an operation. */
async function probe({ client }: Cluster, during: () => Promise<void>): Promise<number[]> {
  const times: number[] = []
  let isOver = false
  const asking = (async () => {
    for (let index = 0; !isOver; index += 1) {
      const started = performance.now()
      const name = `probe-${Math.round(performance.timeOrigin + started)}-${index}`
      await client.create(configMaps, { metadata: { name, namespace: 'default' } })
      await client.get(configMaps, { namespace: 'default', name })
      times.push(performance.now() - started)
      await sleep(PROBE_EVERY_MS)
    }
  })()
  await during()
  isOver = true
  await asking
  return times
}

/** Waits until no VMs or revisions are written any more. */
async function quiet(machine: TestMachine): Promise<void> {
  for (let before = -1, now = await writesOf(machine); before !== now;) {
    await sleep(3_000)
    before = now
    now = await writesOf(machine)
  }
}

/** Writes of VMs and revisions that the API server has answered. */
async function writesOf(machine: TestMachine): Promise<number> {
  const text = await machine.kubectl(['get', '--raw', '/metrics'])
  let count = 0
  for (const line of text.split('\n')) {
    if (!line.startsWith('apiserver_request_total{')) continue
    const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(line)?.[1] ?? ''
    const isWrite = /^(create|update|patch|delete|post|put)$/i.test(label('verb')) && label('code').startsWith('2')
    if (isWrite && ['virtualmachines', 'controllerrevisions'].includes(label('resource')))
      count += Number(line.slice(line.lastIndexOf(' ') + 1))
  }
  return count
}
