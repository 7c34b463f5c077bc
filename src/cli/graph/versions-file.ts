import { readFile } from 'node:fs/promises'
import type { SemanticVersion } from '#apimachinery/cel/library/kubernetes/semver.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { CommandError } from '#cli/context.ts'

/** A version that no upgrade may jump over. */
export interface RequiredVersion {
  readonly text: string
  readonly version: SemanticVersion
}

/** Reads versions from a file: one on each line, with comments after `#`. @throws CommandError */
export async function readVersions(path: string): Promise<readonly RequiredVersion[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new CommandError(`There is no file "${path}" with required versions`)
  })
  return text.split('\n').flatMap((line, index) => {
    const word = line.replace(/#.*/, '').trim()
    if (word === '') return []
    const version = parseTolerant(word)
    if (version === undefined) throw new CommandError(`${path}:${index + 1}: "${word}" is no version, such as v1.2.0`)
    return [{ text: word, version }]
  })
}
