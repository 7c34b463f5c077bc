import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

import type { CheckpointReply, CheckpointRequest } from './checkpointer.ts'

// Body of the thread that copies the write-ahead log into the database, so that neither copying nor
// fsync stops the event loop.
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
    // The first pass took a while; the second catches most of what was written meanwhile, and
    // leaves the writer little to do.
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
