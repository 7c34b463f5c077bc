import { queryRunState, resume, type RunState } from '../qmp/commands.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { QmpCommandError } from '../qmp/errors.ts'
import { migrationUri, serverAddress, type Endpoint } from './endpoint.ts'
import { readMigration, type MigrationReport } from './report.ts'
import { configure, readCertificates, tlsObject, type MigrationSettings } from './settings.ts'

/** Inputs of a target. */
export interface IncomingPlan {
  /** Endpoint to listen on. Port 0 selects a free one. */
  readonly memory: Endpoint
  /** Endpoint for disk content, and its block nodes. */
  readonly storage?: { readonly endpoint: Endpoint; readonly nodes: readonly string[] }
  readonly settings: MigrationSettings
}

/**
 * State of a target. `arrived`: all of the guest is here, paused, since only the release by the
 * source makes this side its owner. `arriving`: the guest is to run here while the rest of its
 * memory is being sent.
 */
export type IncomingState =
  | { readonly kind: 'listening' | 'receiving'; readonly listens: Endpoint }
  | { readonly kind: 'arriving' | 'arrived' | 'running'; readonly runState: RunState }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Advances a target by one step, from whatever state it is in, and returns its state. @throws
 * QmpClosed when it has ended
 */
export async function advanceIncoming(qmp: QmpConnection, plan: IncomingPlan): Promise<IncomingState> {
  const [report, runState] = await Promise.all([readMigration(qmp), queryRunState(qmp)])
  if (report.status !== 'none') return incomingStateOf(report, runState, plan.memory)
  if (runState !== 'inmigrate') return { kind: 'failed', reason: `QEMU was not started to take a guest: it is ${runState}` }
  await listen(qmp, plan)
  return incomingStateOf(await readMigration(qmp), runState, plan.memory)
}

/** Converts QEMU's state. */
export function incomingStateOf(report: MigrationReport, runState: RunState, fallback: Endpoint): IncomingState {
  const listens = report.listens ?? fallback
  switch (report.status) {
    case 'setup':
      return { kind: 'listening', listens }
    case 'failed':
      return { kind: 'failed', reason: report.error ?? 'The stream was refused' }
    case 'completed':
      return { kind: runState === 'running' ? 'running' : 'arrived', runState }
    case 'postcopy-active':
    case 'postcopy-paused':
    case 'postcopy-recover-setup':
    case 'postcopy-recover':
      return { kind: runState === 'running' || runState === 'inmigrate' ? 'running' : 'arriving', runState }
    case 'none':
    case 'active':
    case 'device':
    case 'pre-switchover':
    case 'cancelling':
    case 'cancelled':
      return { kind: 'receiving', listens }
  }
}

/** Certificates first, then disks, then memory: the source begins as soon as it can connect. */
async function listen(qmp: QmpConnection, { memory, storage, settings }: IncomingPlan): Promise<void> {
  if (storage === undefined || !(await servesDisks(qmp))) await readCertificates(qmp, settings.tls, 'target')
  if (storage !== undefined) await exportDisks(qmp, storage, settings)
  await configure(qmp, settings, 'target', storage !== undefined)
  await qmp.execute('migrate-incoming', { uri: migrationUri(memory) })
}

async function exportDisks(qmp: QmpConnection, storage: NonNullable<IncomingPlan['storage']>, settings: MigrationSettings): Promise<void> {
  const there = await exportedNodes(qmp)
  const tls = settings.tls === undefined ? {} : { 'tls-creds': tlsObject }
  await qmp.execute('nbd-server-start', { addr: serverAddress(storage.endpoint), ...tls }).catch((error: unknown) => {
    // There is no question for whether the server runs: a process that was killed may have started
    // it.
    if (!(error instanceof QmpCommandError && error.message.includes('already running'))) throw error
  })
  for (const node of storage.nodes) {
    if (there.includes(node)) continue
    await qmp.execute('block-export-add', { type: 'nbd', id: `migrate-${node}`, 'node-name': node, name: node, writable: true })
  }
}

async function servesDisks(qmp: QmpConnection): Promise<boolean> {
  return (await exportedNodes(qmp)).length > 0
}

async function exportedNodes(qmp: QmpConnection): Promise<string[]> {
  const exports = (await qmp.execute('query-block-exports')) as readonly { readonly 'node-name': string }[]
  return exports.map((each) => each['node-name'])
}

/** A target was asked to take over a guest that has not arrived. */
export class GuestNotArrived extends Error {
  override readonly name = 'GuestNotArrived'
}

/**
 * Makes this side the owner of the guest: disk exports end, and the guest is resumed if it ran.
 * Call it only after the release by the source is known and recorded. Idempotent. @throws
 * GuestNotArrived
 */
export async function takeOver(qmp: QmpConnection, guestRuns: boolean): Promise<void> {
  const [{ status }, runState] = await Promise.all([readMigration(qmp), queryRunState(qmp)])
  if (status !== 'completed' && !status.startsWith('postcopy-')) {
    throw new GuestNotArrived(`Cannot take over a guest whose migration is in state "${status}"`)
  }
  if (await servesDisks(qmp)) await qmp.execute('nbd-server-stop')
  if (guestRuns && runState !== 'running') await resume(qmp)
}
