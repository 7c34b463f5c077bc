import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { openGuestStream } from '#cli/cluster/guest-stream.ts'
import { findResource } from '#client/node/find-resource.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import {
  collectResults,
  createRunCommand,
  exitCodes,
  helpOfAll,
  makeRunFolder,
  resultsFolder,
  runTask,
  TaskFailed,
  tasks,
} from '#features/tasks/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { systemRandom } from '#runtime/process/random.ts'
import { runProcess } from '#runtime/process/process.ts'

// Runs one guest-OS task, named by its first word, and ends with its exit code.
const log = (line: string): void => void process.stderr.write(`${line}\n`)
const print = (text: string): void => void process.stdout.write(text)

await runProcess(
  async (signal) => {
    const [name = '', ...args] = process.argv.slice(2)
    if (name === '--help' || name === '-h') {
      print(helpOfAll(tasks))
      return exitCodes.done
    }
    if (name === 'collect-results') return await collect(args[0])
    const task = tasks.find((each) => each.name === name)
    if (task === undefined) {
      log(`There is no task ${JSON.stringify(name)}: name one of ${tasks.map((each) => each.name).join(', ')}`)
      return exitCodes.badInput
    }
    await using resources = new AsyncDisposableStack()
    const connect = async (): ReturnType<Parameters<typeof runTask>[1]['connect']> => {
      const { http, namespace } = await loadKubeconfig({ env: process.env })
      const client = resources.use(
        createNodeClient(http, { userAgent: 'steadyvm-tasks', onWarning: (text) => log(`The API server warns: ${text}`) }),
      )
      const directory = await makeRunFolder(tmpdir(), process.pid)
      resources.defer(() => rm(directory, { recursive: true, force: true }))
      return {
        client,
        namespace,
        directory,
        signal,
        clock: systemClock,
        random: systemRandom,
        runCommand: createRunCommand(process.env),
        findResource: (type) => findResource(http, type, signal),
        openGuestPort: ({ port, ...guest }) => openGuestStream(http, { ...guest, subresource: `portforward/${port}/tcp` }),
      }
    }
    return await runTask(task, { args, environment: process.env, log, print, connect })
  },
  (error) => log(`steadyvm-tasks failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
)

/** Leaves the results of other containers as the termination message of this one. */
async function collect(limit: string | undefined): Promise<number> {
  try {
    await collectResults({ folder: resultsFolder(process.env), ...(limit === undefined ? {} : { mostBytes: Number(limit) }) })
    return exitCodes.done
  } catch (error) {
    log(`The results cannot be collected: ${(error as Error).message}`)
    return error instanceof TaskFailed ? error.exitCode : exitCodes.resultsFailed
  }
}
