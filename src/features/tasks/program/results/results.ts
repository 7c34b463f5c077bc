import { constants } from 'node:fs'
import { access, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import type { TaskDefinition, TaskResults } from '../../task.ts'

/** Environment variable with the folder of results. */
export const resultsVariable = 'STEADYVM_RESULTS_DIRECTORY'
/** Where Tekton reads results from. */
const tektonFolder = '/tekton/results'

/** Returns the folder of results. */
export function resultsFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return environment[resultsVariable] || tektonFolder
}

/**
 * Makes the folder before the task begins, so that nothing is created whose name is lost. @throws
 * TaskFailed when it is not writable
 */
export async function prepareResults({ results }: Pick<TaskDefinition, 'results'>, folder: string): Promise<void> {
  if (results.length === 0) return
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (cause) {
    throw cannotWrite(folder, cause)
  }
}

/**
 * Writes each result to the file of its name, without a line break at the end. A file is whole
 * whenever it is there. @throws TaskFailed
 */
export async function writeResults(
  { name: task, results }: Pick<TaskDefinition, 'name' | 'results'>,
  folder: string,
  values: TaskResults,
): Promise<void> {
  try {
    for (const { name } of results) {
      const value = values[name]
      if (value === undefined) throw new TaskFailed(exitCodes.resultsFailed, `Task ${task} has no value for its result "${name}"`)
      const aside = join(folder, `.${name}`)
      await writeFile(aside, value)
      await rename(aside, join(folder, name))
    }
  } catch (cause) {
    throw cause instanceof TaskFailed ? cause : cannotWrite(folder, cause)
  }
}

function cannotWrite(folder: string, cause: unknown): TaskFailed {
  const message = `Cannot write results to "${folder}": ${(cause as Error).message}; name a writable folder in ${resultsVariable}`
  return new TaskFailed(exitCodes.resultsFailed, message, { cause })
}
