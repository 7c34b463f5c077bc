import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { controllerOf, isControlledBy, isOwnedBy } from '#apimachinery/meta/owner-references.ts'
import {
  type NamedObject,
  objectNameIn,
  type Family,
  familyOf,
  formerNamesOf,
  type Instancetype,
  hasFormat,
  holderOf,
  isShared,
  isNamedAfterCapture,
  isRevisionOf,
  objectInRevision,
  type Preference,
  referencesOf,
  replacedNames,
  type RevisionFormat,
  startRevisionPrefix,
} from '#features/instancetype/index.ts'

/** A VM and its revisions. */
export interface Observed {
  readonly vm: VirtualMachine
  /** Undefined when the VM does not control it. */
  readonly vmi: VirtualMachineInstance | undefined
  /** Existing revisions that the VM owns, references or has replaced, by name. */
  readonly revisions: ReadonlyMap<string, ControllerRevision>
  /** Format that the cluster asks for. */
  readonly format: RevisionFormat
  /** Reports whether another object references a revision. */
  readonly isReferredElsewhere: (revision: string) => boolean
}

/** A revision to be stored again in the wanted format. */
export interface Replacement {
  /** Name that is referenced. */
  readonly old: string
  readonly family: Family
  readonly object: Instancetype | Preference
  readonly format: RevisionFormat
  /** Existing revision that replaces it; undefined when one has to be stored. */
  readonly by: string | undefined
}

/** A revision that cannot be upgraded. */
export interface Problem {
  readonly revision: string
  readonly family: Family
  readonly message: string
}

/** Changes to make for a VM. Nothing is deleted while a replacement is pending. */
export interface Decision {
  readonly replacements: readonly Replacement[]
  /** Referenced revisions that the VM does not own yet. */
  readonly orphans: readonly ControllerRevision[]
  readonly obsolete: readonly ControllerRevision[]
  readonly problems: readonly Problem[]
}

/** A referenced revision, with the name of its object in the reference. */
interface Need {
  readonly family: Family
  readonly called: NamedObject
  readonly format: RevisionFormat
}

/**
 * Decides which revisions of a VM are replaced, adopted and deleted. Also for a VM that is being
 * deleted: a finalizer may keep it, and its old API versions, for years.
 */
export function decide(observed: Observed): Decision {
  const { vm, revisions } = observed
  const referred = needsOf(observed)
  const replacements: Replacement[] = []
  const problems: Problem[] = []
  const history = historyOf(observed, referred)
  for (const [old, { family, called, format }] of new Map([...history, ...referred])) {
    const source = [old, ...formerNamesOf(vm, old)].map((name) => revisions.get(name)).find((revision) => revision !== undefined)
    if (source === undefined || (source.metadata.name === old && hasFormat(source, family, format))) continue
    try {
      const object = objectInRevision(source, family, called)
      const by = history.has(old) ? nameOfSame(observed, referred, { family, object }) : undefined
      replacements.push({ old, family, object, format, by })
    } catch (error) {
      problems.push({ revision: source.metadata.name ?? '', family, message: error instanceof Error ? error.message : String(error) })
    }
  }
  const replaced = new Set(replacements.map(({ old }) => old))
  const orphans = referencesOf(vm).flatMap(({ revision }) => {
    const found = revisions.get(revision)
    if (found === undefined || isShared(found) || isOwnedBy(found, vm)) return []
    if (!hasOwners(found) && !isNamedAfterCapture(holderOf(vm), found, referred.get(revision))) return []
    // Adopts an ownerless revision even if it will be replaced: after a crash, only ownership shows
    // that it must be deleted.
    return replaced.has(revision) && controllerOf(found) !== undefined ? [] : [found]
  })
  return {
    replacements,
    orphans: [...new Set(orphans)],
    obsolete: replacements.length > 0 ? [] : obsoleteIn(observed),
    problems,
  }
}

/** Returns the revisions that the VM and its guest's start revision reference. */
function needsOf({ vm, vmi, revisions, format }: Observed): ReadonlyMap<string, Need> {
  const start = revisions.get(vmi?.status?.virtualMachineRevisionName ?? '')
  const needs = new Map<string, Need>()
  for (const object of start === undefined ? [vm] : [vm, start]) {
    for (const { revision, family, path } of referencesOf(object, vm)) {
      // Bare specs, which do not name their object, are never shared: only these fields reference
      // them.
      const named = path.startsWith('/status/') ? vm.status?.[`${family}Ref`] : specOf(object)?.[family]
      if (!needs.has(revision)) needs.set(revision, { family, called: named ?? {}, format })
    }
  }
  return needs
}

function specOf(object: VirtualMachine | ControllerRevision): VirtualMachine['spec'] | undefined {
  return 'data' in object ? (object.data?.['spec'] as VirtualMachine['spec'] | undefined) : (object as VirtualMachine).spec
}

/** Returns owned revisions for rolling back. They have no references and are never shared. */
function historyOf({ vm, revisions, format }: Observed, referred: ReadonlyMap<string, Need>): ReadonlyMap<string, Need> {
  const given = replacedNames(vm)
  const history = new Map<string, Need>()
  for (const [name, revision] of revisions) {
    const family = familyOf(revision) ?? familyOfBareSpec(revision)
    const isHistory = isControlledBy(revision, vm) && !referred.has(name) && !Object.hasOwn(given, name)
    if (!isHistory || family === undefined || name.startsWith(startRevisionPrefix)) continue
    history.set(name, { family, called: objectNameIn(revision, vm.metadata.name ?? ''), format: { ...format, sharing: 'own' } })
  }
  return history
}

/**
 * Returns the name of a referenced revision in the wanted format that has the same object as one
 * of the history. An interrupted replacement stored the latter, before the wanted format changed
 * back.
 */
function nameOfSame(
  { revisions }: Observed,
  referred: ReadonlyMap<string, Need>,
  { family, object }: Pick<Replacement, 'family' | 'object'>,
): string | undefined {
  return [...referred].find(([name, need]) => {
    const revision = revisions.get(name)
    if (revision === undefined || need.family !== family || !hasFormat(revision, family, need.format)) return false
    const { kind, metadata, spec } = objectInRevision(revision, family, need.called)
    const isSameObject =
      metadata.uid !== undefined && metadata.uid === object.metadata.uid && metadata.generation === object.metadata.generation
    return isSameObject && kind === object.kind && semanticEqual(spec, object.spec)
  })?.[0]
}

/**
 * Guesses the family of a bare spec: instance types require `cpu.guest` and `memory.guest`, which
 * preferences do not have.
 */
function familyOfBareSpec({ data }: ControllerRevision): Family | undefined {
  if (typeof data?.['spec'] !== 'string') return undefined
  const text = Buffer.from(data['spec'], 'base64').toString('utf8')
  return text.includes('"guest"') ? 'instancetype' : 'preference'
}

/** Returns replaced revisions without references. Shared ones are left to the collector. */
function obsoleteIn(observed: Observed): readonly ControllerRevision[] {
  const { vm, vmi, revisions, format, isReferredElsewhere } = observed
  const start = revisions.get(vmi?.status?.virtualMachineRevisionName ?? '')
  const started = new Set(start === undefined ? [] : referencesOf(start).map(({ written }) => written))
  return Object.entries(replacedNames(vm)).flatMap(([old, now]) => {
    const revision = revisions.get(old)
    if (revision === undefined || !revisions.has(now) || started.has(old)) return []
    const family = familyOf(revision)
    // A revision in the wanted format may be about to be used again.
    if (isShared(revision) || (family !== undefined && hasFormat(revision, family, format))) return []
    return isRevisionOf(revision, vm.metadata.uid) && !isReferredElsewhere(old) ? [revision] : []
  })
}

function hasOwners({ metadata: { ownerReferences = [] } }: ControllerRevision): boolean {
  return ownerReferences.length > 0
}
