import type { UpgradeFinding } from '#api/kubevirt/v1/kubevirt.ts'
import { listReleases, readRelease, ReleaseDamaged, verifyRelease } from './release-directory.ts'

/** Looks whether a version can be run on this machine at all: machine mode pulls nothing. Gives at most one finding. */
export async function findRelease(releases: string, own: string, version: string): Promise<readonly UpgradeFinding[]> {
  if (version === own) return []
  try {
    const manifest = await readRelease(releases, version)
    if (manifest !== undefined) {
      await verifyRelease(releases, manifest)
      return []
    }
  } catch (error) {
    if (!(error instanceof ReleaseDamaged)) throw error
    return [{ id: 'ReleaseDamaged', message: error.message, fix: `steadyvm release list`, blocks: true }]
  }
  const known = [own, ...(await listReleases(releases))].join(', ')
  const message = `There is no release ${version} on this machine. There are: ${known}`
  return [{ id: 'ReleaseMissing', message, fix: `steadyvm release build --version ${version}`, blocks: true }]
}
