import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

import type { CheckpointReply, CheckpointRequest } from './checkpointer.ts'

// Thread that checkpoints the write-ahead log, so that neither the copy nor its fsync blocks the
// event loop.
const database = new DatabaseSync(workerData as string, { timeout: 1000 })
database.exec('PRAGMA cache_size = -1024')

function checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): { readonly frames: number; readonly copied: number } {
  const row = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get()
  return { frames: Number(row?.['log']), copied: Number(row?.['checkpointed']) }
}

function run(request: CheckpointRequest): CheckpointReply {
  try {
    if (request === 'TRUNCATE') return checkpoint('TRUNCATE')
    checkpoint('PASSIVE')
    // The second pass copies most of what was written during the first, so that little is left for
    // the writer.
    return checkpoint('PASSIVE')
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.on('message', (request: CheckpointRequest | 'CLOSE') => {
  if (request === 'CLOSE') {
    database.close()
    parentPort?.close()
    return
  }
  parentPort?.postMessage(run(request))
})
