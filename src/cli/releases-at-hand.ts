import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { featureGates } from '#features/cluster-config/index.ts'
import { knownVersions } from '#features/instancetype/index.ts'
import type { QemuFacts, ReleaseFacts, UpgradeSubject } from '#features/upgrade-check/index.ts'
import {
  listReleases,
  readRelease,
  ReleaseDamaged,
  verifyRelease,
  type ReleaseManifest,
  type ReleaseNotes,
} from '#machine/release-directory.ts'
import { OLDEST_UPGRADABLE, thisRelease } from '#machine/release.ts'
import { findQemu, findQemuIn, queryCapabilities, QemuUnavailable } from '#qemu/index.ts'

/** What this code says to those who come from another release. */
export const ownNotes: ReleaseNotes = { upgradesFrom: OLDEST_UPGRADABLE, featureGates, revisionVersions: knownVersions }

/** What the QEMU in a folder has for guests. @throws QemuUnavailable */
export async function qemuIn(folder: string): Promise<ReleaseManifest['qemu']> {
  const { version, machineTypes, machineAliases, cpuModels } = await queryCapabilities(await findQemuIn(folder), 'tcg')
  return { folder, version, machineTypes, machineAliases, cpuModels }
}

/**
 * The releases on this machine, this code's own among them, as a check sees them. One that cannot be read is left out; the one that is asked for is compared with
 * its checksums.
 */
export async function releasesAtHand(
  releases: string,
  { to, from, path }: { readonly to: string; readonly from: string | undefined; readonly path: string | undefined },
): Promise<Pick<UpgradeSubject, 'releases' | 'damage'>> {
  const found: ReleaseFacts[] = [await ownFacts(path, [to, from])]
  let damage: string | undefined
  for (const version of await listReleases(releases)) {
    try {
      const manifest = await readRelease(releases, version)
      if (manifest === undefined) continue
      if (version === to) await verifyRelease(releases, manifest)
      found.push(await factsOf(manifest, join(releases, version)))
    } catch (error) {
      if (!(error instanceof ReleaseDamaged)) throw error
      if (version === to) damage = error.message
    }
  }
  if (damage === undefined) return { releases: found }
  const folder = join(releases, to)
  return {
    releases: found,
    damage: { message: damage, command: `mv ${folder} ${folder}.damaged && steadyvm release build --version ${to}` },
  }
}

async function factsOf({ version, facts, qemu }: ReleaseManifest, root: string): Promise<ReleaseFacts> {
  const { machineTypes, machineAliases, cpuModels } = qemu
  const isKnown = machineTypes !== undefined && machineAliases !== undefined && cpuModels !== undefined
  return {
    version,
    upgradesFrom: facts?.upgradesFrom,
    featureGates: facts?.featureGates,
    revisionVersions: facts?.revisionVersions,
    definitions: await definitionsIn(root),
    qemu: isKnown ? { version: qemu.version, machineTypes, machineAliases, cpuModels } : undefined,
  }
}

/** The hypervisor is only asked when the answer matters: it takes a moment. */
async function ownFacts(path: string | undefined, concerned: readonly (string | undefined)[]): Promise<ReleaseFacts> {
  const { version, root } = thisRelease()
  const qemu = concerned.includes(version) ? await ownQemu(path) : undefined
  return { version, ...ownNotes, definitions: await definitionsIn(root), qemu }
}

async function ownQemu(path: string | undefined): Promise<QemuFacts | undefined> {
  try {
    return await queryCapabilities(await findQemu(path), 'tcg')
  } catch (error) {
    if (error instanceof QemuUnavailable) return undefined
    throw error
  }
}

async function definitionsIn(root: string): Promise<ReleaseFacts['definitions']> {
  const definitions = JSON.parse(await readFile(join(root, 'manifests', 'crds.generated.json'), 'utf8')) as CustomResourceDefinition[]
  return Object.fromEntries(definitions.map(({ metadata, spec }) => [metadata.name ?? '', spec.versions.map(({ name }) => name)]))
}
