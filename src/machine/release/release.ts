import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RELEASE_MANIFEST, type ReleaseManifest } from './release-directory.ts'

/** A version of all components, as installed on this machine. */
export interface Release {
  /** `v0.1.0`. */
  readonly version: string
  /** Root folder of the checkout or release. */
  readonly root: string
  /** Folder of the bundled QEMU, with `bin`. Absent: QEMU is found in PATH. */
  readonly qemu?: string
}

/** Registry of our image references. */
export const REGISTRY = 'steadyvm.io'

/** Oldest version whose stored objects and running guests this release understands. */
export const OLDEST_UPGRADABLE = 'v0.1.0'

/** Returns the release of the running program. */
export function thisRelease(): Release {
  const root = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return { version: `v${manifest.version}`, root, ...qemuOf(root) }
}

/** A checkout has no bundled QEMU. */
function qemuOf(root: string): { readonly qemu?: string } {
  try {
    return { qemu: (JSON.parse(readFileSync(join(root, RELEASE_MANIFEST), 'utf8')) as ReleaseManifest).qemu.folder }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Returns a component's image reference: `steadyvm.io/virt-handler:v0.1.0`. */
export function componentImage(release: Release, component: string): string {
  return `${REGISTRY}/${component}:${release.version}`
}

/** Returns the launcher image of an installation: virt-operator names it with the registry. */
export function launcherImage(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment['LAUNCHER_IMAGE'] ?? componentImage(thisRelease(), 'virt-launcher')
}

/** Returns the image of the workers that fill volumes: virt-operator names it with the registry. */
export function importerImage(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment['IMPORTER_IMAGE'] ?? componentImage(thisRelease(), 'virt-importer')
}

/** Returns the image of export servers of an installation. */
export function exportServerImage(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return environment['EXPORT_SERVER_IMAGE'] ?? componentImage(thisRelease(), 'virt-exportserver')
}

/**
 * Returns Node's compile cache of the release, with which processes start in a third of the time.
 * Safe to delete.
 */
export function compileCache(release: Release): string {
  return join(release.root, 'node_modules', '.cache', 'compile')
}
