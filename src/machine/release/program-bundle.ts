import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Size and time of change of every file that went into a bundle, by its path below the release. */
export type BundleInputs = Readonly<Record<string, readonly [bytes: number, modifiedMs: number]>>

/** Folder of a program's bundle. Safe to delete. */
export function bundleFolder(root: string, program: string): string {
  return join(root, 'node_modules', '.cache', 'programs', program)
}

/** How a file looks now; undefined when it is gone. */
export function fileState(path: string): readonly [bytes: number, modifiedMs: number] | undefined {
  const state = statSync(path, { throwIfNoEntry: false })
  return state === undefined ? undefined : [state.size, state.mtimeMs]
}

/** Whether a program's bundle is there, and made of the sources as they are now. */
export function isBundled(root: string, program: string): boolean {
  const inputs = readInputs(join(bundleFolder(root, program), 'inputs.json'))
  if (inputs === undefined) return false
  return Object.entries(inputs).every(([path, [bytes, modifiedMs]]) => {
    const now = fileState(join(root, path))
    return now !== undefined && now[0] === bytes && now[1] === modifiedMs
  })
}

/**
 * The file to run for one of the programs in `src/cmd`: its bundle, which loads in two thirds of
 * the time, or the source when that is newer.
 */
export function programFile(root: string, program: string): string {
  return isBundled(root, program) ? join(bundleFolder(root, program), `${program}.mjs`) : join(root, 'src/cmd', `${program}.ts`)
}

function readInputs(path: string): BundleInputs | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as BundleInputs
  } catch {
    return undefined
  }
}
