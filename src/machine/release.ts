import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** One version of all components, as it lies on this machine. */
export interface Release {
  /** `v0.1.0`. */
  readonly version: string
  /** Folder of the repository or release. */
  readonly root: string
}

/** Host part of every image reference of our own. */
export const REGISTRY = 'steadyvm.io'

/** The release that this code belongs to. */
export function thisRelease(): Release {
  const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '')
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return { version: `v${manifest.version}`, root }
}

/** Image reference of one component: `steadyvm.io/virt-handler:v0.1.0`. */
export function componentImage(release: Release, component: string): string {
  return `${REGISTRY}/${component}:${release.version}`
}

/** Where Node keeps the compiled form of the release's code, so that each process starts in a third of the time. Safe to delete. */
export function compileCache(release: Release): string {
  return join(release.root, 'node_modules', '.cache', 'compile')
}
