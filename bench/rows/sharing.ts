import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { connectCluster, type Cluster } from '#cli/cluster/connect.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { startMachine, type TestMachine } from '../../test/support/machine.ts'
import { mebibytes, time, type Row } from '../measure.ts'

const VMS = 5_000
const KINDS = 4
const WRITERS = 50
const LIMIT_MS = 600_000
/** One for each type and preference. */
const MOST_SHARED = 2 * KINDS

/** Measures captures, with own and with shared revisions, and the conversion between both. */
export async function sharingRows(): Promise<Row[]> {
  const [own, shared] = [await captureAll(false), await captureAll(true)]
  return [...own, ...shared]
}

async function captureAll(isSharing: boolean): Promise<Row[]> {
  await using machine = await startMachine()
  using cluster = await connectCluster(dataDirectory(machine.home))
  await prepare(cluster, machine)
  await share(cluster, isSharing)
  const before = sizeOf(machine)
  const captured = await measure(async () => {
    await createVms(cluster)
    await reach(cluster, isSharing)
  })
  const mode = isSharing ? 'shared' : 'own'
  const stored = sizeOf(machine) - before
  const count = await revisionsIn(cluster)
  const rows: Row[] = [
    {
      what: `${VMS.toLocaleString('en')} VMs on ${KINDS} types and ${KINDS} preferences, created and captured, ${mode} revisions`,
      measured: `${time(captured)}, ${count} revisions, ${mebibytes(stored / 1024)} on disk`,
      budget: isSharing ? `≤ ${MOST_SHARED} revisions` : '',
      within: isSharing ? count <= MOST_SHARED : undefined,
      peer: 'KubeVirt: two revisions for each VM',
    },
  ]
  const switched = await measure(async () => {
    await share(cluster, !isSharing)
    await reach(cluster, !isSharing)
  })
  rows.push({
    what: `  and switched to ${isSharing ? 'own' : 'shared'} ones`,
    measured: `${time(switched)}, ${(switched / VMS).toFixed(1)} ms a VM`,
    budget: '',
    within: undefined,
    peer: 'none: nobody has it',
  })
  return rows
}

async function prepare({ client }: Cluster, machine: TestMachine): Promise<void> {
  const documents = Array.from({ length: KINDS }, (_, index) => [
    {
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClusterInstancetype',
      metadata: { name: `bench-${index}` },
      spec: { cpu: { guest: index + 1 }, memory: { guest: '1Gi' } },
    },
    {
      apiVersion: 'instancetype.kubevirt.io/v1beta1',
      kind: 'VirtualMachineClusterPreference',
      metadata: { name: `bench-${index}` },
      spec: { preferredTerminationGracePeriodSeconds: 30 + index },
    },
  ])
  for (const document of documents.flat()) await machine.kubectl(['apply', '-f', '-'], JSON.stringify(document))
  await client.list(virtualMachines, { namespace: 'default' })
}

async function share({ client }: Cluster, isSharing: boolean): Promise<void> {
  const body = { spec: { configuration: { developerConfiguration: { featureGates: isSharing ? ['SharedRevisions'] : [] } } } }
  await client.patch(kubeVirts, { namespace: 'kubevirt', name: 'kubevirt' }, { type: 'merge', body })
}

async function createVms({ client }: Cluster): Promise<void> {
  let next = 0
  const writer = async (): Promise<void> => {
    while (next < VMS) {
      const vm = vmAt(next)
      next += 1
      await client.create<VirtualMachine>(virtualMachines, vm)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
}

/** Waits until every VM names two revisions of the kind that is wanted. */
async function reach({ client }: Cluster, isSharing: boolean): Promise<void> {
  const limit = performance.now() + LIMIT_MS
  while (performance.now() < limit) {
    const { items } = await client.list(virtualMachines, { namespace: 'default' })
    const names = items.flatMap(({ status }) =>
      [status?.instancetypeRef, status?.preferenceRef].map((ref) => ref?.controllerRevisionRef?.name),
    )
    if (names.length === 2 * VMS && names.every((name) => name !== undefined && name.startsWith('shared-') === isSharing)) return
    await sleep(250)
  }
  throw new RangeError(`Not all of ${VMS} VMs had their revisions in time`)
}

async function revisionsIn({ client }: Cluster): Promise<number> {
  return (await client.list(controllerRevisions, { namespace: 'default' })).items.length
}

async function measure(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Bytes of the database, with what is not checkpointed yet. */
function sizeOf({ home }: TestMachine): number {
  const file = dataDirectory(home).database
  return [file, `${file}-wal`].reduce((sum, part) => sum + (statSync(part, { throwIfNoEntry: false })?.size ?? 0), 0)
}

function vmAt(index: number): VirtualMachine {
  const name = `bench-${index % KINDS}`
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: `sharing-${index}`, namespace: 'default' },
    spec: {
      runStrategy: 'Halted',
      instancetype: { name },
      preference: { name },
      template: { spec: { domain: { devices: {} }, volumes: [{ name: 'root', containerDisk: { image: 'registry.example/guest:v1' } }] } },
    },
  }
}
