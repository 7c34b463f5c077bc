import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { PlatformUpgrade, UpgradePatchRecord } from '#api/hco/v1/status.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { JsonPatchError } from '#apimachinery/patch/json-patch.ts'
import { patchesAnnotation, recordedPatches, recordedVersion, recordsOf, unsavedPatches } from './journal.ts'
import { applyUpgradePatches, type PatchedSpec } from './patches/apply-patches.ts'
import type { ObjectRemoval } from './patches/patch-file.ts'
import { compareReleases } from './patches/releases.ts'
import { parseTolerant } from '#apimachinery/version/semver-range.ts'
import { stopBetween, type UpgradeRules } from './patches/validate.ts'

/** Why an upgrade cannot begin. */
export interface Refusal {
  readonly reason: 'UnknownVersion' | 'UpgradePatchesInvalid' | 'UpgradePatchFailed' | 'RequiredStopSkipped'
  /** What is wrong, and what to do. */
  readonly message: string
}

/** The next step of an upgrade. All but `none`, `refuse` and `configure` are one write each. */
export type UpgradeStep =
  /** The platform is at the version of the operator, or is new. */
  | { readonly do: 'none' }
  | { readonly do: 'refuse'; readonly refusal: Refusal; readonly upgrade: PlatformUpgrade }
  /** Record that an upgrade has started, before anything changes. */
  | { readonly do: 'begin'; readonly upgrade: PlatformUpgrade }
  /** Write the patched spec together with the records of all patches that the status lacks. */
  | { readonly do: 'patch'; readonly spec: unknown; readonly records: readonly UpgradePatchRecord[]; readonly upgrade: PlatformUpgrade }
  /** Write records to the status. */
  | { readonly do: 'record'; readonly upgrade: PlatformUpgrade }
  /** Remove the annotation, whose records the status has. */
  | { readonly do: 'forget' }
  /** Patches are done: the components are configured, and then old objects are removed. */
  | { readonly do: 'configure'; readonly upgrade: PlatformUpgrade }

/** The operator's own version, and what it knows about upgrades to it. */
export interface UpgradeSettings {
  readonly own: string
  readonly rules: UpgradeRules
}

type Stored = Pick<HyperConverged, 'spec' | 'metadata' | 'status'>

/** Decides the next step of an upgrade from what is stored. Pure. */
export function decideUpgrade(stored: Stored, { own, rules }: UpgradeSettings, now: string): UpgradeStep {
  const journal = stored.status?.steadyvm?.upgrade
  const saved = saveStep(stored, journal)
  const recorded = recordedVersion(stored)
  const isNew = recorded === undefined && (stored.status?.conditions ?? []).length === 0
  if (isNew || recorded === own) return saved ?? { do: 'none' }
  const from = recorded ?? ''
  const isOpen = journal !== undefined && journal.from === from && journal.to === own && journal.completedAt === undefined
  const upgrade: PlatformUpgrade = isOpen
    ? journal
    : { from, to: own, stage: 'Preflight', startedAt: now, ...(journal?.patches === undefined ? {} : { patches: journal.patches }) }
  const refusal = refusalOf(from, own, rules)
  if (refusal !== undefined) return { do: 'refuse', refusal, upgrade: { ...upgrade, stage: 'Preflight' } }
  if (!isOpen || journal.stage === 'Preflight') return { do: 'begin', upgrade: { ...withoutMessage(upgrade), stage: 'Patches' } }
  return patchStep(stored, upgrade, rules, now) ?? saved ?? { do: 'configure', upgrade }
}

/** Reason why nothing may be changed. An older version knows nothing about newer ones. */
function refusalOf(from: string, own: string, { problems, requiredStops }: UpgradeRules): Refusal | undefined {
  const order = compareReleases(from, own)
  const change = `The upgrade from ${from === '' ? 'an unknown version' : from} to ${own} is refused, and the components stay as they are`
  if (order === undefined)
    return {
      reason: 'UnknownVersion',
      message: `${change}: "${from}" in status.versions is no version. Set the version that the components are at, in the status of this object`,
    }
  if (order > 0) return undefined
  const stop = stopBetween(from, own, requiredStops)
  if (stop !== undefined)
    return {
      reason: 'RequiredStopSkipped',
      message: `${change}: no upgrade may jump over ${stop}. Install the operator of ${stop} first, and this one when its upgrade is complete`,
    }
  if (problems.length > 0)
    return {
      reason: 'UpgradePatchesInvalid',
      message: `${change}: upgradePatches.json of ${own} is wrong: ${problems.join('; ')}. Install a release whose file is right`,
    }
  return undefined
}

/** Patches that have not been decided about, all at once. */
function patchStep(stored: Stored, upgrade: PlatformUpgrade, rules: UpgradeRules, now: string): UpgradeStep | undefined {
  const { from, to } = upgrade
  const version = parseTolerant(from === '' ? '0.0.0' : from)
  if (version === undefined || !isForward(upgrade)) return undefined
  const decided = new Set(recordedPatches(stored).map(({ id }) => id))
  const spec = stored.spec ?? {}
  const pending = rules.patches.filter(({ id }) => !decided.has(id))
  let patched: PatchedSpec
  try {
    patched = applyUpgradePatches(spec, version, pending)
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error
    const message = `The upgrade from ${from} to ${to} stands still before the components are changed: a patch cannot be applied: ${error.message}`
    return { do: 'refuse', refusal: { reason: 'UpgradePatchFailed', message }, upgrade }
  }
  if (patched.outcomes.length === 0) return undefined
  const records = [...unsavedPatches(stored), ...recordsOf(patched.outcomes, { version: to, decidedAt: now })]
  if (!deepEqual(patched.spec, spec)) return { do: 'patch', spec: patched.spec, records, upgrade }
  return { do: 'record', upgrade: withRecords(upgrade, records) }
}

/** Moves records from the annotation to the status, and removes the annotation afterwards. */
function saveStep(stored: Stored, journal: PlatformUpgrade | undefined): UpgradeStep | undefined {
  if (stored.metadata.annotations?.[patchesAnnotation] === undefined) return undefined
  const unsaved = unsavedPatches(stored)
  // Without a journal there is no upgrade that could apply a patch again.
  return journal === undefined || unsaved.length === 0 ? { do: 'forget' } : { do: 'record', upgrade: withRecords(journal, unsaved) }
}

function withoutMessage({ message: _message, ...upgrade }: PlatformUpgrade): PlatformUpgrade {
  return upgrade
}

/** Adds records to a journal. Pure. */
export function withRecords(upgrade: PlatformUpgrade, records: readonly UpgradePatchRecord[]): PlatformUpgrade {
  return { ...upgrade, patches: [...(upgrade.patches ?? []), ...records] }
}

/** False for the way back to an older version, for which there are no patches and no removals. */
function isForward({ from, to }: PlatformUpgrade): boolean {
  return (compareReleases(from, to) ?? 1) <= 0
}

/** Returns the removals of an upgrade that are not done yet. Pure. */
export function pendingRemovals(upgrade: PlatformUpgrade, { removals }: UpgradeRules): readonly ObjectRemoval[] {
  const version = parseTolerant(upgrade.from === '' ? '0.0.0' : upgrade.from)
  if (version === undefined || !isForward(upgrade)) return []
  return removals.filter(({ range }) => range(version))
}
