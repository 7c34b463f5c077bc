import { runExportServer } from '#features/vm-export/server/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { runProcess } from '#runtime/process/process.ts'
import { parseFlags } from './flags.ts'
import { createProcessLog } from './process-log.ts'

// Serves the volumes of one VirtualMachineExport. Has no access to the API server.
const log = createProcessLog('virt-exportserver')

await runProcess(
  async (signal) => {
    const flags = parseFlags(process.argv.slice(2), ['address?', 'port'])
    // In a container: all addresses of the pod.
    const place = { host: flags['address?'] || undefined, port: Number(flags.port) }
    await runExportServer({ environment: process.env, ...place, clock: systemClock, log }, signal)
    return 0
  },
  (error) => log.error({ err: error }, 'virt-exportserver ended'),
)
