import type { QmpConnection } from '../qmp/connection.ts'
import { migrationUri, type Endpoint } from './endpoint.ts'
import { readMigration, type MigrationStatus } from './report.ts'

/**
 * Listens again at a post-copy target whose stream broke. Idempotent: an earlier listener is
 * replaced.
 */
export async function awaitRest(qmp: QmpConnection, memory: Endpoint): Promise<void> {
  const { status } = await readMigration(qmp)
  if (status === 'postcopy-paused') await qmp.execute('migrate-recover', { uri: migrationUri(memory) })
}

/**
 * Sends the rest from a post-copy source whose stream broke, and returns its progress. Idempotent:
 * an attempt without a listening target changes nothing.
 */
export async function sendRest(qmp: QmpConnection, memory: Endpoint): Promise<MigrationStatus> {
  const { status } = await readMigration(qmp)
  if (status === 'postcopy-paused') await qmp.execute('migrate', { uri: migrationUri(memory), resume: true })
  return status
}
