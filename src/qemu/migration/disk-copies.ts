import type { BlockJob } from '../qmp/block-job.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { socketAddress, type Endpoint } from './endpoint.ts'
import { tlsObject, type MigrationSettings } from './settings.ts'

/** A disk that the target does not share, whose content is copied. */
export interface CopiedDisk {
  /** Name of the block node with the guest's view of the disk; the same on both sides. */
  readonly node: string
  /** `top` copies only the image itself and not its backing file, which the target has, too. */
  readonly sync: 'full' | 'top'
}

/** The copy of one disk, as QEMU reports it. */
export interface DiskCopy {
  readonly node: string
  readonly state: 'copying' | 'ready' | 'ended'
  readonly totalBytes: number
  readonly remainingBytes: number
  /** Reason of the failure. */
  readonly error?: string
}

/** Asks QEMU which copies there are. */
export async function readDiskCopies(qmp: QmpConnection): Promise<DiskCopy[]> {
  const jobs = (await qmp.execute('query-jobs')) as readonly BlockJob[]
  return jobs.flatMap((job) => {
    if (job.type !== 'mirror' || !job.id.startsWith(jobPrefix)) return []
    const state = job.status === 'ready' ? 'ready' : ['created', 'running', 'paused', 'standby'].includes(job.status) ? 'copying' : 'ended'
    return {
      node: job.id.slice(jobPrefix.length),
      state,
      totalBytes: job['total-progress'],
      remainingBytes: job['total-progress'] - job['current-progress'],
      ...(job.error === undefined ? {} : { error: job.error }),
    }
  })
}

const jobPrefix = 'migrate-'

function targetNode(node: string): string {
  return `target-${node}`
}

/** Destination and settings of copies. */
export interface CopyRoute {
  readonly storage: Endpoint
  readonly settings: MigrationSettings
}

/**
 * Starts the copy of a disk to a target that exports it. Once it is ready, each guest write is done
 * on both sides before it is acknowledged. Ended jobs stay until they are dismissed, so that a
 * later query sees the error.
 */
export async function startDiskCopy(qmp: QmpConnection, disk: CopiedDisk, { storage, settings }: CopyRoute): Promise<void> {
  const target = targetNode(disk.node)
  const { tls, bandwidth } = settings
  // One without a copy was created by a process that was killed, perhaps for another target.
  await removeTarget(qmp, disk.node)
  await qmp.execute('blockdev-add', {
    driver: 'nbd',
    'node-name': target,
    server: socketAddress(storage),
    export: disk.node,
    ...(tls === undefined ? {} : { 'tls-creds': tlsObject, 'tls-hostname': tls.targetName }),
  })
  await qmp.execute('blockdev-mirror', {
    'job-id': `${jobPrefix}${disk.node}`,
    device: disk.node,
    target,
    sync: disk.sync,
    'copy-mode': 'write-blocking',
    'auto-dismiss': false,
    ...(bandwidth === undefined ? {} : { speed: bandwidth }),
  })
}

/** Ends a copy that is ready: both sides are the same, and the guest stays on its own disk. */
export async function finishDiskCopy(qmp: QmpConnection, node: string): Promise<void> {
  await qmp.execute('block-job-cancel', { device: `${jobPrefix}${node}` })
}

/**
 * Removes copies. Running ones end asynchronously and are removed by the next call; the connection
 * to the target is removed with the last one.
 */
export async function clearDiskCopies(qmp: QmpConnection, copies: readonly DiskCopy[]): Promise<void> {
  for (const { node, state } of copies) {
    const id = `${jobPrefix}${node}`
    if (state === 'ended') {
      await removeTarget(qmp, node)
      await qmp.execute('job-dismiss', { id })
    } else {
      // Forced: otherwise a copy that is not ready would be completed first, and one that is ready
      // would wait for a target that may be gone.
      await qmp.execute('block-job-cancel', { device: id, force: true })
    }
  }
}

async function removeTarget(qmp: QmpConnection, node: string): Promise<void> {
  const target = targetNode(node)
  if ((await blockNodes(qmp)).includes(target)) await qmp.execute('blockdev-del', { 'node-name': target })
}

async function blockNodes(qmp: QmpConnection): Promise<string[]> {
  const nodes = (await qmp.execute('query-named-block-nodes', { flat: true })) as readonly { readonly 'node-name': string }[]
  return nodes.map((node) => node['node-name'])
}
