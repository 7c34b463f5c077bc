import { run, proposeCompletions } from '@stricli/core'
import { createApplication } from '#cli/app.ts'
import type { CliContext } from '#cli/context.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { thisRelease } from '#machine/release/release.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => interrupted.abort())
process.once('SIGTERM', () => interrupted.abort())
// A closed pipe (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const context: CliContext = {
  process: process as CliContext['process'],
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(ms, signal),
  signal: interrupted.signal,
}
const application = createApplication(thisRelease().version)
const words = process.argv.slice(2)
if (words[0] === '__complete') {
  for (const { completion } of await proposeCompletions(application, words.slice(1), context)) process.stdout.write(`${completion}\n`)
} else {
  await run(application, words, context)
  // The CLI library uses negative codes for usage errors; scripts get 1.
  if (Number(process.exitCode) < 0) process.exitCode = 1
}
