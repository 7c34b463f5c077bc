import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Size and modification time of a bundle's inputs, by path relative to the release. */
export type BundleInputs = Readonly<Record<string, readonly [bytes: number, modifiedMs: number]>>

/** Returns the cache folder of a program's bundle. Safe to delete. */
export function bundleFolder(root: string, program: string): string {
  return join(root, 'node_modules', '.cache', 'programs', program)
}

/** Returns size and modification time of a file; undefined when it does not exist. */
export function fileState(path: string): readonly [bytes: number, modifiedMs: number] | undefined {
  const state = statSync(path, { throwIfNoEntry: false })
  return state === undefined ? undefined : [state.size, state.mtimeMs]
}

/** Reports whether a bundle exists and is newer than its sources. */
export function isBundled(root: string, program: string): boolean {
  const inputs = readInputs(join(bundleFolder(root, program), 'inputs.json'))
  if (inputs === undefined) return false
  return Object.entries(inputs).every(([path, [bytes, modifiedMs]]) => {
    const now = fileState(join(root, path))
    return now !== undefined && now[0] === bytes && now[1] === modifiedMs
  })
}

/**
 * Returns the file to run for a program in `src/cmd`: its bundle, which loads a third faster, or
 * the source when that has changed.
 */
export function programFile(root: string, program: string): string {
  return isBundled(root, program) ? join(bundleFolder(root, program), `${program}.mjs`) : join(root, 'src/cmd', `${program}.ts`)
}

/**
 * Identifies the code of a program: another checkout has another one, and so has a changed source
 * that was bundled again.
 */
export function programIdentity(root: string, program: string): string {
  const file = programFile(root, program)
  return `${file} of ${new Date(fileState(file)?.[1] ?? 0).toISOString()}`
}

function readInputs(path: string): BundleInputs | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as BundleInputs
  } catch {
    return undefined
  }
}
