import { existsSync, realpathSync } from 'node:fs'
import { dataDirectory, defaultRoot, type DataDirectory } from '#machine/home/data-directory.ts'
import { readConfig, type MachineConfig } from '#machine/home/config.ts'
import { resolve } from 'node:path'
import { CommandError, type CliContext } from '../context.ts'

/** Resolves the home of a command: `--data-dir`, else `STEADYVM_HOME`, else `~/.steadyvm`. */
export function homeDirectory(context: CliContext, flag: string | undefined): DataDirectory {
  const path = resolve(flag ?? defaultRoot(context.process.env))
  // Processes are found by the path of their home, so symbolic links are resolved.
  return dataDirectory(existsSync(path) ? realpathSync(path) : path)
}

/** Reads the configuration of an existing cluster. @throws CommandError when there is none */
export async function requireConfig(directory: DataDirectory): Promise<MachineConfig> {
  const config = await readConfig(directory)
  if (config !== undefined) return config
  throw new CommandError(`There is no cluster in "${directory.root}" yet: start one with "steadyvm up"`)
}
