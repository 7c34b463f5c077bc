import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGuestStream } from '#cli/cluster/guest-stream.ts'
import { findResource } from '#client/node/find-resource.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient } from '#client/node/node-client.ts'
import { collectResults, createRunCommand, exitCodes, helpOfAll, resultsFolder, runTask, TaskFailed, tasks } from '#features/tasks/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { systemRandom } from '#runtime/process/random.ts'
import { runProcess } from '#runtime/process/process.ts'

// Runs one guest-OS task, named by its first word, and ends with its exit code.
const log = (line: string): void => void process.stderr.write(`${line}\n`)
const print = (text: string): void => void process.stdout.write(text)
/** Beginning of the names of folders for files of one run, before the process id. */
const FOLDER = 'steadyvm-tasks-'

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
      const directory = await makeFolder()
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

/** Makes a private folder, and removes those of runs that were killed: they may hold keys. */
async function makeFolder(): Promise<string> {
  const parent = tmpdir()
  await mkdir(parent, { recursive: true })
  const left = (await readdir(parent)).filter((entry) => entry.startsWith(FOLDER))
  for (const entry of left) {
    const [pid = ''] = entry.slice(FOLDER.length).split('-')
    const isRunning = await stat(join('/proc', pid)).then(
      () => true,
      () => false,
    )
    // One of another user stays that user's.
    if (!isRunning) await rm(join(parent, entry), { recursive: true, force: true }).catch(() => {})
  }
  return mkdtemp(join(parent, `${FOLDER}${process.pid}-`))
}
