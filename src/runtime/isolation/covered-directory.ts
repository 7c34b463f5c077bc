import { realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const othersMayTraverse = 0o001

/**
 * The directory that an unprivileged pod sees empty but for its own files: the topmost ancestor of
 * the home that other users may not traverse, as `/root` is, or else the home itself. Covered
 * there, paths of the pod's own files work for users who could not reach them otherwise, and no
 * permission of the machine has to be widened.
 */
export function coveredDirectory(home: string): string {
  const real = realpathSync(home)
  const path = real.split(sep).slice(1)
  const ancestors = path.map((_, depth) => join('/', ...path.slice(0, depth + 1)))
  return ancestors.find((ancestor) => (statSync(ancestor).mode & othersMayTraverse) === 0) ?? real
}

/**
 * Path of a source for a mount that is made in the working directory `covered`; absolute outside of
 * it.
 */
export function mountSource(covered: string, path: string): string {
  const below = relative(covered, path)
  return below === '' || below.startsWith('..') ? path : `./${below}`
}
