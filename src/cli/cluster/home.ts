import { existsSync, realpathSync } from 'node:fs'
import { dataDirectory, defaultRoot, type DataDirectory } from '#machine/data-directory.ts'
import { readConfig, type MachineConfig } from '#machine/config.ts'
import { resolve } from 'node:path'
import { CommandError, type CliContext } from '../context.ts'

/** The data directory that a command works on: the flag, else the environment's. */
export function homeDirectory(context: CliContext, flag: string | undefined): DataDirectory {
  const path = resolve(flag ?? defaultRoot(context.process.env))
  // Processes are found by the path of their home, so there may be one spelling of it only.
  return dataDirectory(existsSync(path) ? realpathSync(path) : path)
}

/** The configuration of an existing cluster. @throws CommandError when there is none */
export async function requireConfig(directory: DataDirectory): Promise<MachineConfig> {
  const config = await readConfig(directory)
  if (config !== undefined) return config
  throw new CommandError(`There is no cluster in "${directory.root}" yet: start one with "steadyvm up"`)
}
