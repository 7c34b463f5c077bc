import { listReleases } from '#machine/release-directory.ts'
import { thisRelease } from '#machine/release.ts'
import type { CliContext } from './context.ts'
import { directoryOf } from './directory.ts'

/**
 * Versions that a cluster of this machine can be brought to: this checkout's, and those that were
 * built.
 */
export async function versionsHere(context: CliContext): Promise<string[]> {
  return [thisRelease().version, ...(await listReleases(directoryOf(context, undefined).releases))]
}
