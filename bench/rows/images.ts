import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { ImportTask } from '#importer/index.ts'
import { programFile } from '#machine/release/program-bundle.ts'
import { repository, startMachine, type TestMachine } from '../../test/support/machine.ts'
import { writeDiskContent } from '../disk-content.ts'
import { memoryOf } from '../memory.ts'
import { startImageServer } from '../image-server.ts'
import { mebibytes, median, spread, spreadOfWrites, type Row } from '../measure.ts'
import { runMeasured, shell, timeWrite, treeOf, type WriteTimes } from '../process-tree.ts'
import { waitFor } from '../wait-for.ts'

const ROUNDS = Number(process.env['BENCH_IMAGE_ROUNDS'] ?? 3)
const DATA_MIB = Number(process.env['BENCH_IMAGE_MIB'] ?? 1024)
const VOLUME_BYTES = 4 * DATA_MIB * 2 ** 20

/** How an image is served, and what a person would do with it by hand. */
interface Format {
  readonly name: string
  readonly file: string
  /** Makes the image from `$1`, as `$2`. */
  readonly make: string
  /** Downloads `$1` to `$2` as something that qemu-img reads. */
  readonly download: string
  /** What is downloaded is the disk: a plain copy from the server. */
  readonly isDisk: boolean
  readonly driver: 'qcow2' | 'raw'
}

const formats: readonly Format[] = [
  {
    name: 'qcow2, compressed',
    file: 'disk.qcow2',
    make: 'qemu-img convert -c -m 8 -W -f raw -O qcow2 "$1" "$2"',
    download: 'curl -sf -o "$2" "$1"',
    isDisk: false,
    driver: 'qcow2',
  },
  { name: 'raw', file: 'disk.raw', make: 'ln "$1" "$2"', download: 'curl -sf -o "$2" "$1"', isDisk: true, driver: 'raw' },
  {
    name: 'raw, gzip',
    file: 'disk.gz',
    make: 'gzip -1 -c "$1" >"$2"',
    download: 'curl -sf "$1" | gzip -d >"$2"',
    isDisk: true,
    driver: 'raw',
  },
]

/**
 * Imports of an image by the worker alone and by a DataVolume, beside what a person would do with
 * the same server: curl with qemu-img, or curl alone where it gets a disk. All ways end when the
 * disk is on the storage. A copy from one file to another, which reads no web server and unpacks
 * nothing, is told, too.
 */
export async function imageRows(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-images-'))
  try {
    const content = join(folder, 'content.raw')
    await writeDiskContent(content, { bytes: 2 * DATA_MIB * 2 ** 20, dataBytes: DATA_MIB * 2 ** 20 })
    for (const { make, file } of formats) await shell(make, content, join(folder, file))
    await using server = await startImageServer(folder)
    await using machine = await startMachine()
    const rows: Row[] = []
    for (const format of formats)
      rows.push(...(await importRows(machine, folder, content, { format, url: `${server.url}/${format.file}` })))
    return rows
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Served {
  readonly format: Format
  readonly url: string
}

async function importRows(machine: TestMachine, folder: string, content: string, { format, url }: Served): Promise<Row[]> {
  const samples = { worker: [] as number[], dataVolume: [] as number[] }
  const peers: Record<'byHand' | 'plain' | 'local', WriteTimes[]> = { byHand: [], plain: [], local: [] }
  const peaks: number[] = []
  const above: number[] = []
  const loads: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    loads.push(loadavg()[0] ?? 0)
    const run = await inFolder(folder, (own) => runWorker(own, url))
    samples.worker.push(run.ms)
    peaks.push(run.peak.pss)
    peers.byHand.push(await inFolder(folder, (own) => byHand(own, url, format)))
    if (format.isDisk)
      peers.plain.push(await inFolder(folder, (own) => timeWrite(join(own, 'disk'), format.download, url, join(own, 'disk'))))
    peers.local.push(
      await inFolder(folder, (own) => timeWrite(join(own, 'disk'), 'cp --sparse=always "$1" "$2"', content, join(own, 'disk'))),
    )
    const whole = await importByDataVolume(machine, `image-${format.file.replace('.', '-')}-${round}`, url)
    samples.dataVolume.push(whole.ms)
    above.push(whole.aboveKib)
  }
  const { worker, dataVolume } = samples
  const synced = (times: readonly WriteTimes[]): number => median(times.map(({ syncedMs }) => syncedMs))
  const faster = Math.min(...[peers.byHand, peers.plain].filter(({ length }) => length > 0).map(synced))
  const local = synced(peers.local)
  const ratio = faster / median(worker)
  const peer = [
    `curl and qemu-img convert ${spreadOfWrites(peers.byHand)}`,
    ...(format.isDisk ? [`${format.download.includes('gzip') ? 'curl and gzip' : 'curl'} ${spreadOfWrites(peers.plain)}`] : []),
    `cp of the disk, without server ${spreadOfWrites(peers.local)}`,
    `load ${loads.map((load) => load.toFixed(1)).join(', ')}`,
  ].join('; ')
  const peakMib = Math.max(...above)
  return [
    {
      what: `import of ${DATA_MIB} MiB of data, ${format.name}: the worker alone (p50 of ${ROUNDS})`,
      measured: `${spread(worker)}, ${ratio.toFixed(2)} of the speed of the faster peer with that server, ${(local / median(worker)).toFixed(2)} of cp; at most ${mebibytes(Math.max(...peaks))} with its programs`,
      budget: '≥ 0.9 of the faster peer with that server',
      within: ratio >= 0.9,
      peer,
    },
    {
      what: `import of ${DATA_MIB} MiB of data, ${format.name}: from the creation of a DataVolume to Succeeded (p50 of ${ROUNDS})`,
      measured: `${spread(dataVolume)}, ${(faster / median(dataVolume)).toFixed(2)} of the speed of the faster peer with that server; all processes ${mebibytes(peakMib)} above idle`,
      budget: '≤ 64 MiB above idle',
      within: peakMib <= 64 * 1024,
      peer,
    },
  ]
}

function runWorker(folder: string, url: string): ReturnType<typeof runMeasured> {
  const task: ImportTask = {
    source: { kind: 'http', url, headers: [], insecureSkipVerify: false },
    contentType: 'kubevirt',
    target: join(folder, 'disk.img'),
    volumeBytes: VOLUME_BYTES,
    overhead: 0,
    preallocation: false,
  }
  const options = { NODE_OPTIONS: '--max-semi-space-size=1' }
  const env = {
    ...options,
    PATH: process.env['PATH'],
    IMPORTER_TASK: JSON.stringify(task),
    IMPORTER_TERMINATION_LOG: join(folder, 'message'),
  }
  return runMeasured([process.execPath, programFile(repository, 'virt-importer')], env)
}

function byHand(folder: string, url: string, { download, driver }: Format): Promise<WriteTimes> {
  const disk = join(folder, 'disk')
  const script = `set -e; ${download}; qemu-img convert -f ${driver} -O raw "$2" "$3"`
  return timeWrite(disk, script, url, join(folder, 'download'), disk)
}

async function importByDataVolume(
  machine: TestMachine,
  name: string,
  url: string,
): Promise<{ readonly ms: number; readonly aboveKib: number }> {
  using cluster = await machine.connect()
  const { client } = cluster
  // Programs that a worker starts have nothing in their environment that they are found by.
  const used = (): number => {
    const all = new Set(machine.processes().flatMap(({ pid }) => treeOf(pid)))
    return [...all].reduce((sum, pid) => sum + memoryOf(pid).pss, 0)
  }
  await shell('sync')
  const idle = used()
  let most = idle
  const started = performance.now()
  await client.create(dataVolumes, {
    metadata: { name, namespace: 'default' },
    spec: {
      source: { http: { url } },
      pvc: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: String(VOLUME_BYTES) } } },
    },
  })
  const isDone = async (): Promise<boolean> => {
    most = Math.max(most, used())
    const { phase, conditions } = (await client.get(dataVolumes, { namespace: 'default', name })).status ?? {}
    if (phase === 'Failed') throw new Error(JSON.stringify(conditions))
    return phase === 'Succeeded'
  }
  await waitFor(`${name} is imported`, isDone, { everyMs: 20, limitMs: 600_000 })
  const ms = performance.now() - started
  await client.delete(dataVolumes, { namespace: 'default', name })
  await waitFor(
    `${name} is removed`,
    async () => !(await client.list(persistentVolumeClaims)).items.some(({ metadata }) => metadata.name === name),
    {
      everyMs: 50,
    },
  )
  return { ms, aboveKib: most - idle }
}

/** Runs something in a folder of its own, when what others have written is on the storage. */
async function inFolder<T>(folder: string, run: (own: string) => Promise<T>): Promise<T> {
  const own = join(folder, 'one')
  await mkdir(own)
  await shell('sync')
  try {
    return await run(own)
  } finally {
    await rm(own, { recursive: true })
  }
}
