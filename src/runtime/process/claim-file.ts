import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Claims a file for an owner, whose name is its content, for ever. False: another owner has it.
 * Linking a complete file makes the claim: a process that is killed leaves none or a whole one, and
 * of several processes one wins.
 */
export function claimFile(path: string, owner: string): boolean {
  const present = readOwner(path)
  if (present !== undefined) return present === owner
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, owner, { mode: 0o600 })
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readOwner(path) === owner
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Returns the owner of a claimed file; undefined for one that is free. */
export function readOwner(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
