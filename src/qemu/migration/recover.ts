import { setTimeout as sleep } from 'node:timers/promises'
import { hasConnectionTo } from '../process/connections.ts'
import type { QmpConnection } from '../qmp/connection.ts'
import { migrationUri, type Endpoint } from './endpoint.ts'
import { readMigration, type MigrationStatus } from './report.ts'

/** Milliseconds between reads of the status after an attempt, and their number. */
const attempt = { intervalMs: 50, reads: 20 } as const

/**
 * Listens again at a post-copy target whose stream broke. Idempotent: an earlier listener is
 * replaced.
 */
export async function awaitRest(qmp: QmpConnection, memory: Endpoint): Promise<void> {
  const { status } = await readMigration(qmp)
  if (status === 'postcopy-paused') await qmp.execute('migrate-recover', { uri: migrationUri(memory) })
}

/**
 * Sends the rest from a post-copy source, the process `pid`, whose stream broke, and returns its
 * progress. Idempotent: an attempt without a listening target changes nothing.
 *
 * `migrate` returns before QEMU is connected, and the status stays `postcopy-paused` until then,
 * which takes minutes where packets are lost. QEMU 7.2 aborts when a second attempt connects too
 * (`migrate_fd_connect: Assertion '!s->cleanup_bh' failed`), and with it the guest is lost. So this
 * waits for an attempt to connect or to be refused, and begins none while another one connects.
 */
export async function sendRest(qmp: QmpConnection, memory: Endpoint, pid: number): Promise<MigrationStatus> {
  const { status } = await readMigration(qmp)
  if (status !== 'postcopy-paused') return status
  if (memory.kind === 'tcp' && (await hasConnectionTo(pid, memory.port))) return status
  await qmp.execute('migrate', { uri: migrationUri(memory), resume: true })
  for (let read = 0; read < attempt.reads; read += 1) {
    await sleep(attempt.intervalMs)
    const now = await readMigration(qmp)
    if (now.status !== status) return now.status
  }
  return status
}
