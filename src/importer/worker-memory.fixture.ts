import { createProgress } from './progress.ts'
import type { ImportTask } from './task/task.ts'
import { systemTime } from './time.ts'
import { runTask } from './worker.ts'

// A worker that prints the most bytes that its chunks had in memory. Its task is an argument.
const progress = createProgress()
let most = 0
await runTask(JSON.parse(process.argv[2] ?? '') as ImportTask, {
  path: process.env['PATH'] ?? '',
  signal: AbortSignal.timeout(100_000),
  progress: {
    ...progress,
    at(done) {
      progress.at(done)
      most = Math.max(most, process.memoryUsage().arrayBuffers)
    },
  },
  time: systemTime,
  patience: { idleMs: 60_000, windowMs: 120_000, windowBytes: 0 },
  tries: 3,
  secrets: { credentials: '/nonexistent', headers: '/nonexistent', authorities: '/nonexistent' },
  scratch: { mounted: undefined, temporary: '/nonexistent' },
  proxies: {},
  uploads: undefined,
})
console.log(most)
