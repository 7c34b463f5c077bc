import { join } from 'node:path'
import { featureGates } from '#features/cluster-config/index.ts'
import { publishedGates } from '#features/hyperconverged/index.ts'
import { knownVersions } from '#features/instancetype/index.ts'
import type { QemuFacts, ReleaseFacts, UpgradeSubject } from '#features/upgrade-check/index.ts'
import { createContentsReader } from '#machine/release/release-contents.ts'
import {
  listReleases,
  readRelease,
  ReleaseDamaged,
  verifyRelease,
  type ReleaseManifest,
  type ReleaseNotes,
} from '#machine/release/release-directory.ts'
import { OLDEST_UPGRADABLE, thisRelease } from '#machine/release/release.ts'
import { findQemu, findQemuIn, queryCapabilities, QemuUnavailable } from '#qemu/index.ts'

/** Release notes of this checkout, for upgrades to it. */
export const ownReleaseNotes: Required<ReleaseNotes> = {
  upgradesFrom: OLDEST_UPGRADABLE,
  featureGates,
  revisionVersions: knownVersions,
  hyperConvergedGates: publishedGates,
}

/** Queries machine types and CPU models of the QEMU in a folder. @throws QemuUnavailable */
export async function queryReleaseQemu(folder: string): Promise<ReleaseManifest['qemu']> {
  const { version, machineTypes, machineAliases, cpuModels } = await queryCapabilities(await findQemuIn(folder), 'tcg')
  return { folder, version, machineTypes, machineAliases, cpuModels }
}

/** Parameters of {@link readLocalReleases}. */
export interface ReleaseSearch {
  /** Folder of all releases. */
  readonly releases: string
  readonly to: string
  readonly from: string | undefined
  /** PATH, to find the QEMU of releases without their own. */
  readonly path: string | undefined
}

/** What the releases on this machine say about an upgrade. */
type LocalReleases = Pick<UpgradeSubject, 'releases' | 'damage' | 'access' | 'nextDefinitions'>

/**
 * Reads the releases on this machine, including this checkout, and the RBAC rules and CRDs of the
 * target release. Skips unreadable releases; verifies the checksums of the target.
 */
export async function readLocalReleases(search: ReleaseSearch): Promise<LocalReleases> {
  const { releases, to } = search
  const found: ReleaseFacts[] = [await ownFacts(search)]
  let damage: string | undefined
  for (const version of await listReleases(releases)) {
    try {
      const manifest = await readRelease(releases, version)
      if (manifest === undefined) continue
      if (version === to) await verifyRelease(releases, manifest)
      found.push(factsOf(manifest))
    } catch (error) {
      if (!(error instanceof ReleaseDamaged)) throw error
      if (version === to) damage = error.message
    }
  }
  if (damage === undefined)
    return found.some(({ version }) => version === to) ? withContents(search, found) : { releases: found, access: [], nextDefinitions: [] }
  const folder = join(releases, to)
  const command = `mv ${folder} ${folder}.damaged && steadyvm release build --version ${to}`
  return { releases: found, access: [], nextDefinitions: [], damage: { message: damage, command } }
}

/** CRDs and RBAC rules are large, so only those of the target are read. */
async function withContents({ releases, to }: ReleaseSearch, found: readonly ReleaseFacts[]): Promise<LocalReleases> {
  const { access, definitions } = await createContentsReader(thisRelease(), releases)(to)
  const nextDefinitions = await definitions.read()
  const names = nextDefinitions.map(({ metadata, spec }) => [metadata.name ?? '', spec.versions.map(({ name }) => name)] as const)
  return {
    access,
    nextDefinitions,
    releases: found.map((release) => (release.version === to ? { ...release, definitions: Object.fromEntries(names) } : release)),
  }
}

function factsOf({ version, facts, qemu }: ReleaseManifest): ReleaseFacts {
  const { machineTypes, machineAliases, cpuModels } = qemu
  const isKnown = machineTypes !== undefined && machineAliases !== undefined && cpuModels !== undefined
  return {
    version,
    upgradesFrom: facts?.upgradesFrom,
    featureGates: facts?.featureGates,
    revisionVersions: facts?.revisionVersions,
    hyperConvergedGates: facts?.hyperConvergedGates,
    definitions: undefined,
    qemu: isKnown ? { version: qemu.version, machineTypes, machineAliases, cpuModels } : undefined,
  }
}

/** QEMU is queried only when needed, since that takes about 100 ms. */
async function ownFacts({ to, from, path }: ReleaseSearch): Promise<ReleaseFacts> {
  const { version } = thisRelease()
  const qemu = [to, from].includes(version) ? await ownQemu(path) : undefined
  return { version, ...ownReleaseNotes, definitions: undefined, qemu }
}

async function ownQemu(path: string | undefined): Promise<QemuFacts | undefined> {
  try {
    return await queryCapabilities(await findQemu(path), 'tcg')
  } catch (error) {
    if (error instanceof QemuUnavailable) return undefined
    throw error
  }
}
