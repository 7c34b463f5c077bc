import { setTimeout as sleep } from 'node:timers/promises'
import type { QmpConnection } from '../qmp/connection.ts'
import { endpointOf, type Endpoint } from './endpoint.ts'

/** Status of a migration, as source or target. `none`: there was none in this process. */
export type MigrationStatus =
  | 'none'
  | 'setup'
  | 'active'
  | 'pre-switchover'
  | 'device'
  | 'postcopy-active'
  | 'postcopy-paused'
  | 'postcopy-recover-setup'
  | 'postcopy-recover'
  | 'completed'
  | 'cancelling'
  | 'cancelled'
  | 'failed'

/** Progress of the memory copy. */
export interface Progress {
  readonly totalBytes: number
  readonly remainingBytes: number
  readonly transferredBytes: number
  /** Bytes a second that the guest writes to. */
  readonly dirtyRate: number
  /** Bytes a second that flow. */
  readonly bandwidth: number
  /** Number of passes over all memory. */
  readonly rounds: number
}

/** The answer to `query-migrate`. */
export interface MigrationReport {
  readonly status: MigrationStatus
  readonly progress?: Progress
  /** From start to now, or to the end. */
  readonly totalMs?: number
  readonly downtimeMs?: number
  readonly expectedDowntimeMs?: number
  /** Failure reason, as far as this side knows it. */
  readonly error?: string
  /** Endpoint on which a target listens. */
  readonly listens?: Endpoint
  /** Reasons why the guest cannot migrate, in QEMU's words. */
  readonly blockers: readonly string[]
}

interface Answer {
  readonly status?: string
  readonly 'total-time'?: number
  readonly downtime?: number
  readonly 'expected-downtime'?: number
  readonly 'error-desc'?: string
  readonly 'blocked-reasons'?: readonly string[]
  readonly 'socket-address'?: readonly Readonly<Record<string, unknown>>[]
  readonly ram?: Readonly<Record<string, number>>
}

/** A completed migration without a time is one that QEMU is about to complete. */
const rereadMs = 20

/** Asks QEMU. */
export async function readMigration(qmp: QmpConnection): Promise<MigrationReport> {
  const first = reportOf((await qmp.execute('query-migrate')) as Answer)
  if (first.status !== 'completed' || first.totalMs !== 0) return first
  await sleep(rereadMs)
  return reportOf((await qmp.execute('query-migrate')) as Answer)
}

/** Converts QEMU's answer. */
export function reportOf(answer: Answer): MigrationReport {
  const { ram } = answer
  const [address] = answer['socket-address'] ?? []
  const listens = address === undefined ? undefined : endpointOf(address)
  return {
    // A target of QEMU 7.2 has an address and no status yet.
    status: (answer.status as MigrationStatus | undefined) ?? (listens === undefined ? 'none' : 'setup'),
    ...(ram === undefined ? {} : { progress: progressOf(ram) }),
    ...optional('totalMs', answer['total-time']),
    ...optional('downtimeMs', answer.downtime),
    ...optional('expectedDowntimeMs', answer['expected-downtime']),
    ...optional('error', answer['error-desc']),
    ...optional('listens', listens),
    blockers: answer['blocked-reasons'] ?? [],
  }
}

function progressOf(ram: Readonly<Record<string, number>>): Progress {
  const of = (name: string): number => ram[name] ?? 0
  return {
    totalBytes: of('total'),
    remainingBytes: of('remaining'),
    transferredBytes: of('transferred'),
    dirtyRate: of('dirty-pages-rate') * (ram['page-size'] ?? 4096),
    bandwidth: (of('mbps') * 1e6) / 8,
    rounds: of('dirty-sync-count'),
  }
}

function optional<K extends string, V>(name: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [P in K]?: V })
}
