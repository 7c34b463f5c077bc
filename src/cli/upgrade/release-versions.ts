import { listReleases } from '#machine/release/release-directory.ts'
import { thisRelease } from '#machine/release/release.ts'
import type { CliContext } from '../context.ts'
import { homeDirectory } from '../cluster/home.ts'

/**
 * Lists the versions that a cluster of this machine can be upgraded to: this checkout, and the
 * releases that were built.
 */
export async function localVersions(context: CliContext): Promise<string[]> {
  return [thisRelease().version, ...(await listReleases(homeDirectory(context, undefined).releases))]
}
