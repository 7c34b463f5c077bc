import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from './write-file.ts'

/**
 * File that lists the homes of this user, so that a new home does not choose the ports of one that
 * is stopped at the moment. It is a hint: a home that is missing in it only loses this protection.
 */
export function homeRegistryFile(env: Readonly<Record<string, string | undefined>>): string {
  const state = env['XDG_STATE_HOME']
  return join(state !== undefined && state !== '' ? state : join(env['HOME'] ?? '/root', '.local', 'state'), 'steadyvm', 'homes.json')
}

/** Paths of the homes that have been set up. */
export async function readHomes(file: string): Promise<readonly string[]> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

/** Replaces the list. A disk that is full or read-only does not keep a cluster from starting. */
export async function writeHomes(file: string, homes: readonly string[]): Promise<void> {
  await replaceFile(file, `${JSON.stringify([...new Set(homes)].toSorted(), null, 2)}\n`, 0o600).catch(() => {})
}
