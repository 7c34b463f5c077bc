import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { connectCluster, type Cluster } from '#cli/cluster/connect.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import type { TestMachine } from '../../test/support/machine.ts'
import { percentile, time, type Row } from '../measure.ts'

const SIZES = [
  { vms: 1_000, budgetMs: 2_000, budget: '2 s' },
  { vms: 10_000, budgetMs: 15_000, budget: '15 s' },
]
const ROUNDS = 3
const WRITERS = 50
const CAPTURE_LIMIT_MS = 600_000

/** The worst change that there is: a setting that concerns every VM. */
const CONFIGURATION = JSON.stringify({
  apiVersion: 'kubevirt.io/v1',
  kind: 'KubeVirt',
  metadata: { name: 'kubevirt', namespace: 'kubevirt' },
  spec: { configuration: { architectureConfiguration: { amd64: { machineType: 'pc-q35-9.0' } }, evictionStrategy: 'LiveMigrate' } },
})

const TYPE = JSON.stringify({
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachineClusterInstancetype',
  metadata: { name: 'bench' },
  spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } },
})
const PREFERENCE = JSON.stringify({
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachineClusterPreference',
  metadata: { name: 'bench' },
  spec: { cpu: { preferredCPUTopology: 'cores' }, devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio' } },
})

/**
 * Measures the command `steadyvm plan`, including its reads from the cluster, for a change of all
 * VMs.
 */
export async function planRows(machine: TestMachine): Promise<Row[]> {
  using cluster = await connectCluster(dataDirectory(machine.home))
  await publish(machine)
  const file = join(machine.home, 'configuration.json')
  await writeFile(file, CONFIGURATION)
  const rows: Row[] = []
  let made = 0
  for (const { vms, budgetMs, budget } of SIZES) {
    await fill(cluster, made, vms)
    made = vms
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) times.push(await planOnce(machine, file, vms))
    const median = percentile(times, 0.5)
    rows.push({
      what: `plan of a change that concerns ${vms.toLocaleString('en')} VMs, as a command`,
      measured: `${time(median)}, ${ROUNDS} times, ${(median / vms).toFixed(2)} ms a VM`,
      budget,
      within: median < budgetMs,
      peer: 'none: nobody has it',
    })
  }
  return rows
}

async function planOnce(machine: TestMachine, file: string, vms: number): Promise<number> {
  const started = performance.now()
  const { code, stdout, stderr } = await machine.steadyvm('plan', '-f', file, '-A', '-o', 'json')
  const took = performance.now() - started
  const { summary } = JSON.parse(stdout === '' ? '{}' : stdout) as { summary?: { live: number } }
  if (code !== 2 || summary?.live !== vms) throw new RangeError(`plan ended with ${code}: ${JSON.stringify(summary)} ${stderr}`)
  return took
}

/** Creates the instance type and preference that the VMs of {@link fill} reference. */
export async function publish(machine: TestMachine): Promise<void> {
  for (const object of [TYPE, PREFERENCE]) await machine.kubectl(['apply', '-f', '-'], object)
}

/** Makes halted VMs and waits until each has its two revisions. */
export async function fill({ client }: Cluster, from: number, to: number): Promise<void> {
  let next = from
  const writer = async (): Promise<void> => {
    while (next < to) {
      const vm = vmAt(next)
      next += 1
      await client.create<VirtualMachine>(virtualMachines, vm)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  const limit = performance.now() + CAPTURE_LIMIT_MS
  while (performance.now() < limit) {
    const { items } = await client.list(virtualMachines, { namespace: 'default' })
    if (items.every(({ status }) => status?.instancetypeRef && status.preferenceRef)) return
    await sleep(500)
  }
  throw new RangeError(`Not all of ${to} VMs were captured in time`)
}

function vmAt(index: number): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: `planned-${index}`, namespace: 'default', labels: { app: `app-${index % 20}` } },
    spec: {
      runStrategy: 'Halted',
      instancetype: { name: 'bench' },
      preference: { name: 'bench' },
      template: {
        metadata: { labels: { app: `app-${index % 20}` } },
        spec: { domain: { devices: {} }, volumes: [{ name: 'root', containerDisk: { image: 'registry.example/guest:v1' } }] },
      },
    },
  }
}
