import { dataDirectory, defaultRoot, type DataDirectory } from '#machine/data-directory.ts'
import { readConfig, type MachineConfig } from '#machine/config.ts'
import { resolve } from 'node:path'
import { CommandError, type CliContext } from '../context.ts'

/** The data directory that a command works on: the flag, else the environment's. */
export function homeDirectory(context: CliContext, flag: string | undefined): DataDirectory {
  return dataDirectory(resolve(flag ?? defaultRoot(context.process.env)))
}

/** The configuration of an existing cluster. @throws CommandError when there is none */
export async function requireConfig(directory: DataDirectory): Promise<MachineConfig> {
  const config = await readConfig(directory)
  if (config !== undefined) return config
  throw new CommandError(`There is no cluster in "${directory.root}" yet: start one with "steadyvm up"`)
}
