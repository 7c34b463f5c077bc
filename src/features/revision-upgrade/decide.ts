import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
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
  isOwnedOnlyBy,
  objectInRevision,
  type Preference,
  referencesOf,
  replacedNames,
  type RevisionFormat,
  startRevisionPrefix,
} from '#features/instancetype/index.ts'

/** What is known of a VM and its revisions. */
export interface Observed {
  readonly vm: VirtualMachine
  /** The VM's own. */
  readonly vmi: VirtualMachineInstance | undefined
  /** All that the VM owns, names or has given up, as far as they exist. */
  readonly revisions: ReadonlyMap<string, ControllerRevision>
  /** How the cluster wants them to be. */
  readonly format: RevisionFormat
  /** Whether anybody but this VM names a revision. */
  readonly isReferredElsewhere: (revision: string) => boolean
}

/** A revision that is not as it should be: what it holds is to be stored again. */
export interface Replacement {
  /** The name that is in use. */
  readonly old: string
  readonly family: Family
  readonly object: Instancetype | Preference
  readonly format: RevisionFormat
}

/** A revision of which nothing can be made. */
export interface Problem {
  readonly revision: string
  readonly family: Family
  readonly message: string
}

/**
 * What is to be done for a VM. What was replaced is only dropped when there is nothing left to
 * replace.
 */
export interface Decision {
  readonly replacements: readonly Replacement[]
  /** Not the VM's own, and in the right format or nobody's. */
  readonly orphans: readonly ControllerRevision[]
  readonly obsolete: readonly ControllerRevision[]
  readonly problems: readonly Problem[]
}

/** A revision that is needed, and how those who need it speak of it. */
interface Need {
  readonly family: Family
  readonly called: NamedObject
  readonly format: RevisionFormat
}

/**
 * Decides which revisions of a VM are to be replaced, taken over and dropped. Those of a VM that is
 * being deleted, too: some finalizer may keep it for years, and its old versions with it.
 */
export function decide(observed: Observed): Decision {
  const { vm, revisions } = observed
  const referred = needsOf(observed)
  const replacements: Replacement[] = []
  const problems: Problem[] = []
  for (const [old, { family, called, format }] of new Map([...historyOf(observed, referred), ...referred])) {
    const source = [old, ...formerNamesOf(vm, old)].map((name) => revisions.get(name)).find((revision) => revision !== undefined)
    if (source === undefined || (source.metadata.name === old && hasFormat(source, family, format))) continue
    try {
      replacements.push({ old, family, object: objectInRevision(source, family, called), format })
    } catch (error) {
      problems.push({ revision: source.metadata.name ?? '', family, message: error instanceof Error ? error.message : String(error) })
    }
  }
  const replaced = new Set(replacements.map(({ old }) => old))
  const orphans = referencesOf(vm).flatMap(({ revision }) => {
    const found = revisions.get(revision)
    if (found === undefined || isShared(found) || isOwned(found, vm)) return []
    if (!hasOwners(found) && !isNamedAfterCapture(holderOf(vm), found, referred.get(revision))) return []
    // What belongs to nobody is also taken over when it is about to be replaced: else nobody would
    // know that it is to be dropped when we die in between.
    return replaced.has(revision) && isManaged(found) ? [] : [found]
  })
  return {
    replacements,
    orphans: [...new Set(orphans)],
    obsolete: replacements.length > 0 ? [] : obsoleteIn(observed),
    problems,
  }
}

/** What the VM names, and what its guest was started from. */
function needsOf({ vm, vmi, revisions, format }: Observed): ReadonlyMap<string, Need> {
  const start = revisions.get(vmi?.status?.virtualMachineRevisionName ?? '')
  const needs = new Map<string, Need>()
  for (const object of start === undefined ? [vm] : [vm, start]) {
    for (const { revision, family, path } of referencesOf(object, vm)) {
      // The oldest ones, which do not say what they hold, are not shared, and so nowhere but here.
      const named = path.startsWith('/status/') ? vm.status?.[`${family}Ref`] : specOf(object)?.[family]
      if (!needs.has(revision)) needs.set(revision, { family, called: named ?? {}, format })
    }
  }
  return needs
}

function specOf(object: VirtualMachine | ControllerRevision): VirtualMachine['spec'] | undefined {
  return 'data' in object ? (object.data?.['spec'] as VirtualMachine['spec'] | undefined) : (object as VirtualMachine).spec
}

/** What the VM may go back to. Nobody names these, so that there is nothing to share. */
function historyOf({ vm, revisions, format }: Observed, referred: ReadonlyMap<string, Need>): ReadonlyMap<string, Need> {
  const given = replacedNames(vm)
  const history = new Map<string, Need>()
  for (const [name, revision] of revisions) {
    const family = familyOf(revision) ?? familyOfBareSpec(revision)
    const isHistory = isOwnedBy(revision, vm) && !referred.has(name) && !Object.hasOwn(given, name)
    if (!isHistory || family === undefined || name.startsWith(startRevisionPrefix)) continue
    history.set(name, { family, called: objectNameIn(revision, vm.metadata.name ?? ''), format: { ...format, sharing: 'own' } })
  }
  return history
}

/**
 * Nobody says what the oldest revisions hold. An instance type cannot be without CPUs and memory,
 * and a preference has no such fields.
 */
function familyOfBareSpec({ data }: ControllerRevision): Family | undefined {
  if (typeof data?.['spec'] !== 'string') return undefined
  const text = Buffer.from(data['spec'], 'base64').toString('utf8')
  return text.includes('"guest"') ? 'instancetype' : 'preference'
}

/**
 * What was given up and is named by nobody any more. A shared one belongs to all of the namespace,
 * and is collected elsewhere.
 */
function obsoleteIn(observed: Observed): readonly ControllerRevision[] {
  const { vm, vmi, revisions, format, isReferredElsewhere } = observed
  const start = revisions.get(vmi?.status?.virtualMachineRevisionName ?? '')
  const started = new Set(start === undefined ? [] : referencesOf(start).map(({ written }) => written))
  return Object.entries(replacedNames(vm)).flatMap(([old, now]) => {
    const revision = revisions.get(old)
    if (revision === undefined || !revisions.has(now) || started.has(old)) return []
    const family = familyOf(revision)
    // What is as it should be may be about to be taken again.
    if (isShared(revision) || (family !== undefined && hasFormat(revision, family, format))) return []
    return isOwnedOnlyBy(revision, vm.metadata.uid) && !isReferredElsewhere(old) ? [revision] : []
  })
}

function isOwned({ metadata }: ControllerRevision, vm: VirtualMachine): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) === true
}

function isOwnedBy({ metadata }: ControllerRevision, vm: VirtualMachine): boolean {
  return metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === vm.metadata.uid) === true
}

function isManaged({ metadata }: ControllerRevision): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) === true
}

function hasOwners({ metadata: { ownerReferences = [] } }: ControllerRevision): boolean {
  return ownerReferences.length > 0
}
