import { existsSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { virtualMachineClones } from '#api/clone/v1beta1/resources.ts'
import { persistentVolumeClaims, persistentVolumes } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { virtualMachineRestores, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import { found } from '#client/found.ts'
import type { Client } from '#client/client.ts'
import type { TestMachine } from '../../test/support/machine.ts'
import { diskVirtualMachine } from '../../test/support/manifests.ts'
import { untilGuestsRun } from '../../test/support/guests/running-guests.ts'
import { writeDiskContent } from '../disk-content.ts'
import { median, spread, spreadOfWrites, type Row } from '../measure.ts'
import { shell, timeWrite, type WriteTimes } from '../process-tree.ts'
import { waitFor } from '../wait-for.ts'

const ROUNDS = Number(process.env['BENCH_COPY_ROUNDS'] ?? 3)
const DATA_MIB = Number(process.env['BENCH_COPY_MIB'] ?? 1024)
const SIZE = '10 GiB'
/** The file system of a claim keeps 5.5 %. */
const CLAIM = '10837Mi'
const BYTES = 10 * 2 ** 30
const NAMESPACE = 'default'
const VM = 'copied'

/**
 * Copies of a disk of 10 GiB of which a part is data: of a claim, by the snapshot of a guest that
 * writes, and from that snapshot, beside copies of the same file. All end when the copy is on the
 * storage.
 */
export async function diskCopyRows(machine: TestMachine): Promise<Row[]> {
  using cluster = await machine.connect()
  const { client } = cluster
  const disk = await makeClaim(client)
  const times: Record<'clone' | 'snapshot', number[]> = { clone: [], snapshot: [] }
  const peers: Record<'copy' | 'convert', WriteTimes[]> = { copy: [], convert: [] }
  const pauses: Pause[] = []
  const loads: string[] = []
  const spaces: string[] = []
  const byHand = async (script: string): Promise<WriteTimes> => {
    await shell('sync')
    const times = await timeWrite(`${disk}.copy`, script, disk, `${disk}.copy`)
    await shell('rm "$1"', `${disk}.copy`)
    return times
  }
  for (let round = 0; round < ROUNDS; round++) {
    loads.push((loadavg()[0] ?? 0).toFixed(1))
    times.clone.push(await clone(client, `clone-${round}`))
    await removeClone(client, `clone-${round}`)
    peers.copy.push(await byHand('cp --reflink=auto --sparse=always "$1" "$2"'))
    peers.convert.push(await byHand('qemu-img convert -f raw -O raw "$1" "$2"'))
  }
  await startGuest(machine, client)
  const before = await longestPause(machine, () => new Promise((resolve) => setTimeout(resolve, 5_000)))
  for (let round = 0; round < ROUNDS; round++) {
    const pause = await longestPause(machine, async () => void times.snapshot.push(await snapshot(client, `snapshot-${round}`)))
    pauses.push(pause)
    spaces.push(await copiedSpace(client))
    if (round + 1 < ROUNDS) await removeSnapshot(client, `snapshot-${round}`)
  }
  const last = `snapshot-${ROUNDS - 1}`
  await machine.kubectl(['patch', 'vm', VM, '--type=merge', '-p', '{"spec":{"runStrategy":"Halted"}}'])
  await machine.kubectl(['wait', `vmi/${VM}`, '--for=delete', '--timeout=120s'])
  await shell('sync')
  const restoreMs = await restore(client, last)
  await shell('sync')
  const vmCloneMs = await cloneVm(client, last)
  const peer = `cp --reflink=auto --sparse=always ${spreadOfWrites(peers.copy)}; qemu-img convert ${spreadOfWrites(peers.convert)}; load ${loads.join(', ')}`
  const faster = Math.min(...[peers.copy, peers.convert].map((samples) => median(samples.map(({ syncedMs }) => syncedMs))))
  const ratio = (ms: number): string => `${(faster / ms).toFixed(2)} of the speed of the faster peer`
  const what = `a disk of ${SIZE} with ${DATA_MIB} MiB of data`
  const worst = Math.max(...pauses.map(({ writeMs }) => writeMs))
  return [
    {
      what: `clone of ${what} (p50 of ${ROUNDS})`,
      measured: `${spread(times.clone)}, ${ratio(median(times.clone))}`,
      budget: '< 2 s',
      within: median(times.clone) < 2000,
      peer,
    },
    {
      what: `snapshot of a guest that writes to ${what} (p50 of ${ROUNDS})`,
      measured: `ready after ${spread(times.snapshot)}, ${ratio(median(times.snapshot))}; takes ${spaces.at(-1) ?? ''}`,
      budget: '< 2 s',
      within: median(times.snapshot) < 2000,
      peer,
    },
    {
      what: `longest pause of that guest, as it sees it`,
      measured: `${pauses.map(({ writeMs, tickMs }) => `${writeMs} ms between two writes and ${tickMs} ms between two ticks of its clock`).join(', ')}`,
      budget: '< 1 s',
      within: worst < 1000,
      peer: `the same guest without a snapshot: ${before.writeMs} ms and ${before.tickMs} ms`,
    },
    { what: `restore of ${what}`, measured: `${spread([restoreMs])}, ${ratio(restoreMs)}`, budget: '', within: undefined, peer },
    { what: `clone of a VM with ${what}`, measured: `${spread([vmCloneMs])}, ${ratio(vmCloneMs)}`, budget: '', within: undefined, peer },
  ]
}

/** Makes the claim that is copied, and returns the path of its disk. */
async function makeClaim(client: Client): Promise<string> {
  await client.create(persistentVolumeClaims, {
    metadata: { name: VM, namespace: NAMESPACE },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: CLAIM } } },
  })
  let path = ''
  await waitFor('the claim is bound', async () => {
    const claim = await client.get(persistentVolumeClaims, { namespace: NAMESPACE, name: VM })
    if (claim.status?.phase !== 'Bound') return false
    path = await diskOf(client, VM)
    return existsSync(dirname(path))
  })
  await writeDiskContent(path, { bytes: BYTES, dataBytes: DATA_MIB * 2 ** 20 })
  await chmod(path, 0o666)
  return path
}

async function diskOf(client: Client, claimName: string): Promise<string> {
  const claim = await client.get(persistentVolumeClaims, { namespace: NAMESPACE, name: claimName })
  const volume = await client.get(persistentVolumes, { name: claim.spec?.volumeName ?? '' })
  return join(volume.spec?.hostPath?.path ?? '', 'disk.img')
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  await shell('sync')
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  await waitFor(what, check, { everyMs: 20, limitMs: 600_000 })
}

function clone(client: Client, name: string): Promise<number> {
  return timed(async () => {
    await client.create(dataVolumes, {
      metadata: { name, namespace: NAMESPACE },
      spec: {
        source: { pvc: { namespace: NAMESPACE, name: VM } },
        pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: CLAIM } } },
      },
    })
    await until(
      `${name} is copied`,
      async () => (await client.get(dataVolumes, { namespace: NAMESPACE, name })).status?.phase === 'Succeeded',
    )
  })
}

async function removeClone(client: Client, name: string): Promise<void> {
  await client.delete(dataVolumes, { namespace: NAMESPACE, name })
  await untilClaims(client, (names) => !names.includes(name))
}

async function untilClaims(client: Client, check: (names: readonly (string | undefined)[]) => boolean): Promise<void> {
  await until('the claims are removed', async () =>
    check((await client.list(persistentVolumeClaims)).items.map(({ metadata }) => metadata.name)),
  )
}

async function startGuest(machine: TestMachine, client: Client): Promise<void> {
  const vm = diskVirtualMachine(VM, { persistentVolumeClaim: { claimName: VM } })
  await client.create(virtualMachines, JSON.parse(vm) as VirtualMachine)
  await untilGuestsRun(machine, [VM])
}

/** Longest times in a guest, in milliseconds. */
interface Pause {
  /** Between the ends of two writes that have reached the disk. */
  readonly writeMs: number
  /** Between two looks at the clock, without the disk. */
  readonly tickMs: number
}

/**
 * Loops of the guest: each keeps its longest round, in hundredths of a second, until the file /on
 * is gone.
 */
const work = {
  write: 'dd if=/bin/busybox of=/dev/vda bs=64k count=4 seek=$((at * 37 % 160000)) conv=notrunc,fsync 2>/dev/null',
  tick: 'usleep 20000',
}
const watch = (kind: keyof typeof work): string =>
  [
    'longest=0; at=0; last=',
    `while [ -e /on ]; do ${work[kind]}; at=$((at + 1)); read up rest </proc/uptime`,
    'now=$(echo $up | tr -d .); [ -n "$last" ] && [ $((now - last)) -gt $longest ] && longest=$((now - last)); last=$now; done',
    `echo $longest >/longest.${kind}`,
  ].join('; ')
const watching = `: >/on; rm -f /longest.*; ${(['write', 'tick'] as const).map((kind) => `setsid sh -c '${watch(kind)}' </dev/null >/dev/null 2>&1 &`).join(' ')}`

async function longestPause(machine: TestMachine, work: () => Promise<void>): Promise<Pause> {
  await machine.inGuest(watching, VM)
  await work()
  const printed = await machine.inGuest('rm /on; while ! cat /longest.write /longest.tick 2>/dev/null; do sleep 1; done', VM)
  const [write = Number.NaN, tick = Number.NaN] = (printed.match(/\d+/g) ?? []).map(Number).slice(-2)
  return { writeMs: write * 10, tickMs: tick * 10 }
}

const vmGroup = 'kubevirt.io'
const snapshotGroup = 'snapshot.kubevirt.io'

function snapshot(client: Client, name: string): Promise<number> {
  return timed(async () => {
    await client.create(virtualMachineSnapshots, {
      metadata: { name, namespace: NAMESPACE },
      spec: { source: { apiGroup: vmGroup, kind: 'VirtualMachine', name: VM } },
    })
    await until(`${name} is ready`, async () => {
      const { phase, readyToUse, error } = (await client.get(virtualMachineSnapshots, { namespace: NAMESPACE, name })).status ?? {}
      if (phase === 'Failed') throw new Error(JSON.stringify(error))
      return readyToUse === true
    })
  })
}

/** Space of the copy that a snapshot has made. */
async function copiedSpace(client: Client): Promise<string> {
  const names = (await client.list(persistentVolumeClaims)).items.map(({ metadata }) => metadata.name ?? '')
  const copy = names.find((name) => name !== VM)
  const { blocks } = await stat(await diskOf(client, copy ?? ''))
  return `${(blocks / 2048).toFixed(0)} MiB`
}

async function removeSnapshot(client: Client, name: string): Promise<void> {
  await client.delete(virtualMachineSnapshots, { namespace: NAMESPACE, name })
  await untilClaims(client, (names) => names.every((one) => one === VM))
}

function restore(client: Client, virtualMachineSnapshotName: string): Promise<number> {
  return timed(async () => {
    await client.create(virtualMachineRestores, {
      metadata: { name: 'restore', namespace: NAMESPACE },
      spec: { target: { apiGroup: vmGroup, kind: 'VirtualMachine', name: VM }, virtualMachineSnapshotName },
    })
    const isDone = async (): Promise<boolean> =>
      (await client.get(virtualMachineRestores, { namespace: NAMESPACE, name: 'restore' })).status?.complete === true
    await until('the disk is restored', isDone)
  })
}

function cloneVm(client: Client, from: string): Promise<number> {
  return timed(async () => {
    await client.create(virtualMachineClones, {
      metadata: { name: 'clone', namespace: NAMESPACE },
      spec: {
        source: { apiGroup: snapshotGroup, kind: 'VirtualMachineSnapshot', name: from },
        target: { apiGroup: vmGroup, kind: 'VirtualMachine', name: 'twin' },
      },
    })
    // A clone that is complete is removed after a while.
    const isDone = async (): Promise<boolean> => {
      const one = await found(client.get(virtualMachineClones, { namespace: NAMESPACE, name: 'clone' }))
      return one === undefined || one.status?.phase === 'Succeeded'
    }
    await until('the VM is cloned', isDone)
  })
}
