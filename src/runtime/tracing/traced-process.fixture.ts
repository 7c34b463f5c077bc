import { createNodeClient } from '#client/node/node-client.ts'
import { configMaps } from '#api/core/v1/resources.ts'
import { aborted } from '../clock/abort.ts'
import { runProcess } from '../process/process.ts'
import { startTracing, traceExchange, tracing } from './tracing.ts'

// A traced component: it sends more requests than a batch of spans has, and waits for its end.
const [, , server = '', count = ''] = process.argv

await runProcess(
  async (signal) => {
    await using _tracing = await startTracing('test', 'v1', process.env)
    using client = createNodeClient({ server }, { trace: traceExchange })
    for (let sent = 0; sent < Number(count); sent++)
      await tracing().span('work', {}, () => client.get(configMaps, { namespace: 'default', name: String(sent) }))
    process.stdout.write('answered\n')
    await aborted(signal)
    return 0
  },
  (error) => process.stderr.write(String(error)),
  // Nothing may be left that has to be given up.
  { lingerMs: 3_600_000 },
)
