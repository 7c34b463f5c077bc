import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { runWorker } from '#importer/index.ts'
import { runProcess } from '#runtime/process/process.ts'
import { createProcessLog } from './process-log.ts'

// Fills one volume by the task in its environment, and ends.
const log = createProcessLog('virt-importer')

await runProcess(
  async (signal) => {
    const { result, exitCode } = await runWorker({
      environment: process.env,
      signal,
      temporary: tmpdir(),
      onError: (error) => log.error({ err: error }, 'The volume is not filled'),
    })
    log.info({ reason: result.reason }, result.message)
    tell(JSON.stringify(result))
    return exitCode
  },
  (error) => log.error({ err: error }, 'virt-importer ended'),
)

/**
 * Writes the termination message. Where there is no file for it, the last line of the log is what
 * Kubernetes shows: none is made in /dev of a machine.
 */
function tell(result: string): void {
  const path = process.env['IMPORTER_TERMINATION_LOG']
  try {
    writeFileSync(path ?? '/dev/termination-log', result, { flag: path === undefined ? 'r+' : 'w' })
  } catch {
    console.log(result)
  }
}
