import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RELEASE_MANIFEST, type ReleaseManifest } from './release-directory.ts'

/** One version of all components, as it lies on this machine. */
export interface Release {
  /** `v0.1.0`. */
  readonly version: string
  /** Folder of the repository or release. */
  readonly root: string
  /** Folder of the QEMU that belongs to it, with `bin` in it. Absent: whatever is on PATH. */
  readonly qemu?: string
}

/** Host part of every image reference of our own. */
export const REGISTRY = 'steadyvm.io'

/**
 * Oldest version whose components have stored, and keep running, nothing that this code does not
 * understand.
 */
export const OLDEST_UPGRADABLE = 'v0.1.0'

/** The release that this code belongs to. */
export function thisRelease(): Release {
  const root = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return { version: `v${manifest.version}`, root, ...qemuOf(root) }
}

/** A checkout has none of its own. */
function qemuOf(root: string): { readonly qemu?: string } {
  try {
    return { qemu: (JSON.parse(readFileSync(join(root, RELEASE_MANIFEST), 'utf8')) as ReleaseManifest).qemu.folder }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Image reference of one component: `steadyvm.io/virt-handler:v0.1.0`. */
export function componentImage(release: Release, component: string): string {
  return `${REGISTRY}/${component}:${release.version}`
}

/**
 * Where Node keeps the compiled form of the release's code, so that each process starts in a third
 * of the time. Safe to delete.
 */
export function compileCache(release: Release): string {
  return join(release.root, 'node_modules', '.cache', 'compile')
}
