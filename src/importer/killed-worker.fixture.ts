import { createProgress } from './progress.ts'
import type { ImportTask } from './task/task.ts'
import { systemTime } from './time.ts'
import { runTask } from './worker.ts'

// A worker that takes notes more often, and is killed by tests: task and scratch are arguments.
const [task = '', scratch = ''] = process.argv.slice(2)
const nothing = '/nonexistent'
const result = await runTask(JSON.parse(task) as ImportTask, {
  path: process.env['PATH'] ?? '',
  signal: new AbortController().signal,
  progress: createProgress(),
  time: systemTime,
  patience: { idleMs: 5_000, windowMs: 60_000, windowBytes: 0 },
  tries: 3,
  secrets: { credentials: nothing, headers: nothing, authorities: nothing },
  scratch: { mounted: scratch, temporary: scratch },
  proxies: {},
  uploads: undefined,
  noteBytes: 256 * 1024,
  noteMs: 0,
})
console.log(JSON.stringify(result))
