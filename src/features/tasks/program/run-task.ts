import { messageOf } from '#apimachinery/errors.ts'
import { exitCodes, TaskFailed } from '../exit-codes.ts'
import { runOf } from '../objects/created-objects.ts'
import type { TaskContext, TaskDefinition } from '../task.ts'
import { helpOf } from './help.ts'
import { readParameters } from './parameters.ts'
import { prepareResults, resultsFolder, writeResults } from './results/results.ts'

/** Parameters of {@link runTask}. */
export interface TaskRun {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Prints a line of progress or an error. */
  readonly log: (line: string) => void
  /** Prints help. */
  readonly print: (text: string) => void
  /** Connects to the cluster; called when the parameters are valid. */
  readonly connect: () => Promise<Omit<TaskContext, 'parameters' | 'environment' | 'log' | 'run'>>
}

/** Runs a task, and returns its exit code. Every failure is explained in the log. */
export async function runTask(task: TaskDefinition, { args, environment, log, print, connect }: TaskRun): Promise<number> {
  if (isHelpWanted(args)) {
    print(helpOf(task))
    return exitCodes.done
  }
  const folder = resultsFolder(environment)
  try {
    const parameters = readParameters(task, args, environment)
    await prepareResults(task, folder)
    const results = await task.run({ ...(await connect()), parameters, environment, log, run: runOf(environment) })
    await writeResults(task, folder, results)
    for (const { name } of task.results) log(`Result ${name}: ${results[name]}`)
    return exitCodes.done
  } catch (error) {
    log(`Task ${task.name} failed: ${messageOf(error)}`)
    return error instanceof TaskFailed ? error.exitCode : exitCodes.failed
  }
}

function isHelpWanted(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === '--help' || word === '-h')
}
