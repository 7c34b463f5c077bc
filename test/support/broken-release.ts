import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RELEASE_MANIFEST, type ReleaseManifest } from '#machine/release/release-directory.ts'

/** Faults that somebody has built into a release. */
export interface Fault {
  /**
   * Runs in the place of the node agent; the real one is beside it, as `./real-virt-handler.mjs`.
   */
  readonly agent?: string
  /** Words that the agent's command ends with. */
  readonly more?: readonly string[]
}

/** Makes a release one that was built with a fault: its checksums are those of what it holds. */
export async function breakRelease(home: string, version: string, { agent, more = [] }: Fault): Promise<void> {
  const folder = join(home, 'releases', version)
  const manifest = JSON.parse(await readFile(join(folder, RELEASE_MANIFEST), 'utf8')) as ReleaseManifest
  const files: Record<string, string> = { ...manifest.files }
  if (agent !== undefined) {
    const program = join(folder, 'programs', 'virt-handler.mjs')
    // Moved and not written to: other releases have the same file.
    await rename(program, join(folder, 'programs', 'real-virt-handler.mjs'))
    await writeFile(program, agent)
    files['programs/virt-handler.mjs'] = createHash('sha256').update(agent).digest('hex')
  }
  const { 'virt-handler': command = [] } = manifest.components
  const components = { ...manifest.components, 'virt-handler': [...command, ...more] }
  await rm(join(folder, RELEASE_MANIFEST))
  await writeFile(join(folder, RELEASE_MANIFEST), JSON.stringify({ ...manifest, components, files }))
}
