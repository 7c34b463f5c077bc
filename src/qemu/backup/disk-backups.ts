import type { BlockJob } from '../qmp/block-job.ts'
import { createHash } from 'node:crypto'
import { backupFilter, nodeOf, type DiskRef } from '../hotplug/disks.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { refusalOf } from '../qmp/refusal.ts'

/** A disk of a running guest, and the open file or device that gets its content. */
export interface BackupDisk extends DiskRef {
  readonly bytes: number
  /** Descriptor of the target. It has room for `bytes`. */
  readonly descriptor: number
  readonly isDevice: boolean
}

/** The backup of one disk, as QEMU reports it. */
export interface DiskBackup {
  /** Identifies the backups that were started together. Without dots. */
  readonly set: string
  /** Name of the disk. */
  readonly name: string
  readonly state: 'copying' | 'complete' | 'failed'
  readonly totalBytes: number
  readonly copiedBytes: number
  /** Why it failed. */
  readonly error?: string
}

/** What QEMU has of backups: jobs, and targets with or without them. */
export interface DiskBackups {
  readonly jobs: readonly DiskBackup[]
  readonly hasTargets: boolean
}

/** Options of {@link startDiskBackups}. */
export interface BackupOptions {
  /** Limit for each disk. What the guest overwrites is copied at once. Default: none. */
  readonly bytesPerSecond?: number
}

interface FdSet {
  readonly 'fdset-id': number
  readonly fds: readonly { readonly opaque?: string }[]
}

const jobPrefix = 'backup'
const fileNode = 'bakf-'
const formatNode = 'bakd-'
const opaquePrefix = 'backup:'
/** Largest unit of a storage. Smaller ones would be filled up behind the end of the disk. */
const blockBytes = 4096
/**
 * Between files the kernel copies, and shares blocks where the file system can do that; QEMU reads
 * and writes if neither works. A write of the guest waits for the pieces that are being copied.
 */
const withinKernel = { 'use-copy-range': true, 'max-workers': 4 }

/** Asks QEMU which backups there are. Those that have ended stay until they are cleared. */
export async function readDiskBackups(qmp: QmpConnection): Promise<DiskBackups> {
  const [jobs, targets] = await Promise.all([qmp.execute('query-jobs') as Promise<readonly BlockJob[]>, readTargets(qmp)])
  return { jobs: jobs.flatMap(backupOf), hasTargets: targets.nodes.length + targets.sets.length > 0 }
}

function backupOf(job: BlockJob): DiskBackup[] {
  const [prefix, set = '', name = ''] = job.id.split('.')
  if (job.type !== 'backup' || prefix !== jobPrefix) return []
  // A job that aborts still has to give up its disk.
  const state = job.status !== 'concluded' ? 'copying' : job.error === undefined ? 'complete' : 'failed'
  return [
    {
      set,
      name,
      state,
      totalBytes: job['total-progress'],
      copiedBytes: job['current-progress'],
      ...(job.error === undefined ? {} : { error: job.error }),
    },
  ]
}

async function readTargets(qmp: QmpConnection): Promise<{ readonly nodes: readonly string[]; readonly sets: readonly number[] }> {
  const [nodes, sets] = await Promise.all([
    qmp.execute('query-named-block-nodes', { flat: true }) as Promise<readonly { readonly 'node-name': string }[]>,
    qmp.execute('query-fdsets') as Promise<readonly FdSet[]>,
  ])
  const names = nodes.map((node) => node['node-name'])
  return {
    // A node is closed after the one that uses it.
    nodes: [formatNode, fileNode].flatMap((prefix) => names.filter((name) => name.startsWith(prefix))),
    sets: sets.flatMap(({ fds, 'fdset-id': id }) => (fds.some(({ opaque }) => opaque?.startsWith(opaquePrefix) === true) ? [id] : [])),
  }
}

/** QEMU's names of block nodes have 31 characters at most. */
function targetOf(set: string, name: string): { readonly file: string; readonly format: string } {
  const short = createHash('sha256').update(`${set}/${name}`).digest('hex').slice(0, 20)
  return { file: `${fileNode}${short}`, format: `${formatNode}${short}` }
}

/**
 * Starts the backup of several disks at one instant of the guest, which runs on: what it overwrites
 * from then on is copied before. All succeed, or none. The targets must be cleared before. Files
 * are not made lasting: that is left to those who have their descriptors, as QEMU would do it in
 * the thread that runs the guest. Returns the reason why QEMU refuses.
 */
export async function startDiskBackups(
  qmp: QmpConnection,
  set: string,
  disks: readonly BackupDisk[],
  { bytesPerSecond }: BackupOptions = {},
): Promise<string | undefined> {
  for (const disk of disks) {
    const refusal = await openTarget(qmp, set, disk)
    if (refusal !== undefined) return refusal
  }
  const actions = disks.map((disk) => ({
    type: 'blockdev-backup',
    data: {
      'job-id': `${jobPrefix}.${set}.${disk.name}`,
      device: nodeOf(disk),
      'filter-node-name': backupFilter(nodeOf(disk)),
      target: targetOf(set, disk.name).format,
      sync: 'full',
      'auto-dismiss': false,
      ...(disk.isDevice ? {} : { 'x-perf': withinKernel }),
      ...(bytesPerSecond === undefined ? {} : { speed: bytesPerSecond }),
    },
  }))
  return refusalOf(/$^/, qmp.execute('transaction', { actions, properties: { 'completion-mode': 'grouped' } }))
}

async function openTarget(qmp: QmpConnection, set: string, { name, descriptor, bytes, isDevice }: BackupDisk): Promise<string | undefined> {
  const sets = (await qmp.execute('query-fdsets')) as readonly FdSet[]
  const id = Math.max(0, ...sets.map((one) => one['fdset-id'])) + 1
  await qmp.executeWith(descriptor, 'add-fd', { 'fdset-id': id, opaque: `${opaquePrefix}${name}` })
  const { file, format } = targetOf(set, name)
  const driver = isDevice ? 'host_device' : 'file'
  const open = (direct: boolean): Promise<string | undefined> => {
    const cache = { direct, 'no-flush': !isDevice }
    const node = { driver, 'node-name': file, filename: `/dev/fdset/${id}`, discard: 'unmap', cache }
    return refusalOf(/$^/, qmp.execute('blockdev-add', node))
  }
  // Devices past the cache, where that works: many small pieces at once are several times as fast.
  const isPastCache = isDevice && bytes % blockBytes === 0 && (await open(true)) === undefined
  const refusal = isPastCache ? undefined : await open(false)
  if (refusal !== undefined) return refusal
  // A device may be larger than the disk.
  const above = { driver: 'raw', 'node-name': format, file, size: bytes, discard: 'unmap' }
  return refusalOf(/$^/, qmp.execute('blockdev-add', above))
}

/**
 * Cancels the backups that run, and removes those that have ended, with their targets. Reports
 * whether nothing is left: a job that is cancelled ends a moment later. Can be repeated.
 */
export async function clearDiskBackups(qmp: QmpConnection): Promise<boolean> {
  const { jobs } = await readDiskBackups(qmp)
  for (const { set, name, state } of jobs) {
    const id = `${jobPrefix}.${set}.${name}`
    await refusalOf(/./, qmp.execute(state === 'copying' ? 'job-cancel' : 'job-dismiss', { id }))
  }
  if (jobs.some(({ state }) => state === 'copying')) return false
  const { nodes, sets } = await readTargets(qmp)
  for (const node of nodes) await refusalOf(/./, qmp.execute('blockdev-del', { 'node-name': node }))
  for (const id of sets) await refusalOf(/./, qmp.execute('remove-fd', { 'fdset-id': id }))
  const left = await readDiskBackups(qmp)
  return left.jobs.length === 0 && !left.hasTargets
}
