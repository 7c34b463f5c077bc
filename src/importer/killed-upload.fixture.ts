import { createProgress } from './progress.ts'
import { createUploadDesk } from './server/uploads.ts'
import { startWorkerServer } from './server/worker-server.ts'
import { runTask } from './worker.ts'
import { systemTime } from './time.ts'
import type { ImportTask } from './task/task.ts'

// Runs a worker that waits for uploads, and writes down often how far it is, so that it can be
// killed. Prints its port.
const [, , task = '', serving = '', scratch = ''] = process.argv
const patience = { idleMs: 5_000, windowMs: 60_000, windowBytes: 0 }
const progress = createProgress()
const uploads = createUploadDesk(patience, systemTime)
await using server = await startWorkerServer({
  serving,
  host: '127.0.0.1',
  port: 0,
  progress,
  otherwise: (request, response) => uploads.serve(request, response),
})
process.stdout.write(`${server.port}\n`)
await runTask(JSON.parse(task) as ImportTask, {
  path: process.env['PATH'] ?? '',
  signal: AbortSignal.timeout(60_000),
  progress,
  time: systemTime,
  patience,
  tries: 1,
  secrets: { credentials: scratch, headers: scratch, authorities: scratch },
  scratch: { mounted: undefined, temporary: scratch },
  proxies: {},
  uploads,
  noteBytes: 64 << 10,
  noteMs: 0,
})
