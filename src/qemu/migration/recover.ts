import type { QmpConnection } from '../qmp/connection.ts'
import { migrationUri, type Endpoint } from './endpoint.ts'
import { readMigration, type MigrationStatus } from './report.ts'

/**
 * Listens anew at a target whose stream was cut after it had begun to run the guest. Can be
 * repeated: whoever was waited for before is waited for again.
 */
export async function awaitRest(qmp: QmpConnection, memory: Endpoint): Promise<void> {
  const { status } = await readMigration(qmp)
  if (status === 'postcopy-paused') await qmp.execute('migrate-recover', { uri: migrationUri(memory) })
}

/**
 * Sends what is missing from a source whose stream was cut after the guest had begun to run at the
 * target, if it was; and says how far it is. Can be repeated: an attempt that finds nobody leaves
 * everything as it was.
 */
export async function sendRest(qmp: QmpConnection, memory: Endpoint): Promise<MigrationStatus> {
  const { status } = await readMigration(qmp)
  if (status === 'postcopy-paused') await qmp.execute('migrate', { uri: migrationUri(memory), resume: true })
  return status
}
