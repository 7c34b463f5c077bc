import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RELEASE_MANIFEST, type ReleaseManifest } from '#machine/release/release-directory.ts'

/** A fault to build into a release. */
export interface Fault {
  /** The faulty component. Default: virt-handler. */
  readonly component?: 'virt-handler' | 'virt-controller' | 'virt-api'
  /** Program that replaces the component's, which it can import as `./real-<component>.mjs`. */
  readonly program?: string
  /** Additional arguments of the component. */
  readonly args?: readonly string[]
}

/** Adds a fault to a release in the image store, with checksums that match. */
export async function breakRelease(
  home: string,
  version: string,
  { component = 'virt-handler', program, args = [] }: Fault,
): Promise<void> {
  const folder = join(home, 'releases', version)
  const manifest = JSON.parse(await readFile(join(folder, RELEASE_MANIFEST), 'utf8')) as ReleaseManifest
  const files: Record<string, string> = { ...manifest.files }
  if (program !== undefined) {
    const path = join(folder, 'programs', `${component}.mjs`)
    // Renamed and not overwritten: releases share files by hard links.
    await rename(path, join(folder, 'programs', `real-${component}.mjs`))
    await writeFile(path, program)
    files[`programs/${component}.mjs`] = createHash('sha256').update(program).digest('hex')
  }
  const components = { ...manifest.components, [component]: [...(manifest.components[component] ?? []), ...args] }
  await rm(join(folder, RELEASE_MANIFEST))
  await writeFile(join(folder, RELEASE_MANIFEST), JSON.stringify({ ...manifest, components, files }))
}
