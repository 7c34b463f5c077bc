import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { findInstancetype, findPreference } from '../find/find.ts'
import { isRefreshed, refreshAnnotation, refreshedAnnotation } from '../find/pin.ts'
import type { Found, Lookup } from '../lookup.ts'
import type { Family } from '../matcher.ts'
import type { Instancetype, Preference } from '../types.ts'
import { CaptureFailed, captureFailure } from './capture-failed.ts'
import { holderOf } from '../codec/holder.ts'
import type { RevisionForm } from '../codec/storage-format.ts'
import { remember, type Ref } from './capture-status.ts'
import { storeRevision, type StorePorts } from './store.ts'
import { takeAgain } from './reuse-name.ts'

/** What a VM's matchers stand for. */
export interface InForce {
  readonly instancetype: Found<Instancetype> | undefined
  readonly preference: Found<Preference> | undefined
}

/** How a capture went, with the VM as it is afterwards. */
export type Captured =
  | { readonly vm: VirtualMachine; readonly inForce: InForce; readonly failure: undefined }
  | { readonly vm: VirtualMachine; readonly inForce: undefined; readonly failure: CaptureFailed }

/** What a capture needs. */
export interface CapturePorts extends StorePorts {
  readonly lookup: Lookup
  /** How new revisions are stored. Those that a VM has stay as they are. */
  readonly form: RevisionForm
  /**
   * How many revisions that the VM has left behind it can go back to, of each family. Its own are
   * kept by pruning.
   */
  readonly historyLimit: number
  /**
   * Why the VM cannot have this instance type; undefined when it can. What cannot be used is not
   * pinned.
   */
  readonly objection: (inForce: InForce) => string | undefined
}

/** Finds what is in force for a VM. @throws CaptureFailed, whose message is the API's */
export async function findInForce(lookup: Lookup, vm: VirtualMachine): Promise<InForce> {
  const { instancetype, preference } = await search(lookup, vm)
  for (const found of [instancetype, preference]) if (found instanceof CaptureFailed) throw found
  return { instancetype, preference } as InForce
}

/**
 * Pins what is in force in ControllerRevisions and names them in the VM's status, in one patch.
 * Each of the two is pinned as soon as it is found, whatever becomes of the other: from then on it
 * may change or vanish. Every step can be repeated: revisions are named by what they hold, and the
 * patch is left out when the status says all this already.
 */
export async function capture(ports: CapturePorts, vm: VirtualMachine): Promise<Captured> {
  const found = await search(ports.lookup, vm)
  const known = { instancetype: foundOrNone(found.instancetype), preference: foundOrNone(found.preference) }
  const objection = known.instancetype === undefined ? undefined : ports.objection(known)
  const when = known.instancetype?.revision === undefined ? whileStoring : ''
  const instancetype = objection === undefined ? found.instancetype : new CaptureFailed('FailedCreate', `${when}${objection}`)
  const refs = {
    instancetype: await refFor(ports, vm, 'instancetype', instancetype),
    preference: await refFor(ports, vm, 'preference', found.preference),
  }
  const failure = [instancetype, found.preference, refs.instancetype, refs.preference].find((part) => part instanceof CaptureFailed)
  const again = new Map([...takenAgain(known.instancetype, refs.instancetype), ...takenAgain(known.preference, refs.preference)])
  const stored = [...storedName(known.instancetype, refs.instancetype), ...storedName(known.preference, refs.preference)]
  const taken = await takeAgain(ports, vm, stored)
  const pinned = await record(ports, taken, { refs, again, stored, isWhole: failure === undefined })
  return failure === undefined ? { vm: pinned, inForce: known, failure } : { vm: pinned, inForce: undefined, failure }
}

async function search(
  lookup: Lookup,
  vm: VirtualMachine,
): Promise<{
  readonly instancetype: Found<Instancetype> | CaptureFailed | undefined
  readonly preference: Found<Preference> | CaptureFailed | undefined
}> {
  return {
    instancetype: await findInstancetype(lookup, vm).catch((error: unknown) => captureFailure('FailedFindInstancetype', error)),
    preference: await findPreference(lookup, vm).catch((error: unknown) => captureFailure('FailedFindPreference', error)),
  }
}

function foundOrNone<T>(found: Found<T> | CaptureFailed | undefined): Found<T> | undefined {
  return found instanceof CaptureFailed ? undefined : found
}

async function refFor(
  ports: CapturePorts,
  vm: VirtualMachine,
  family: Family,
  found: Found<Instancetype | Preference> | CaptureFailed | undefined,
): Promise<Ref> {
  const matcher = vm.spec[family]
  if (matcher === undefined || found === undefined || found instanceof CaptureFailed) return found as CaptureFailed | undefined
  const name = found.revision?.metadata.name ?? (await store(ports, vm, found.object))
  if (name instanceof CaptureFailed) return name
  const { revisionName: _, ...named } = matcher
  return { ...Object.fromEntries(Object.entries(named).filter(([, text]) => text !== '')), controllerRevisionRef: { name } }
}

/** KubeVirt's words. */
const whileStoring = 'error encountered while storing instancetype.kubevirt.io controllerRevisions: '

async function store(ports: CapturePorts, vm: VirtualMachine, object: Instancetype | Preference): Promise<string | CaptureFailed> {
  try {
    return await storeRevision(ports, holderOf(vm), object, ports.form)
  } catch (error) {
    return captureFailure('FailedCreate', error, whileStoring)
  }
}

/** How the references of a VM came about. */
interface Outcome {
  readonly refs: Record<Family, Ref>
  /** New names of revisions that had been deleted. */
  readonly again: ReadonlyMap<string, string>
  /** Names of those that were not there before. */
  readonly stored: readonly string[]
  readonly isWhole: boolean
}

/**
 * What was deleted and taken again may have another name by now. Whoever goes on writing the old
 * one means it.
 */
function takenAgain(found: Found<unknown> | undefined, ref: Ref): readonly (readonly [string, string])[] {
  const name = ref instanceof CaptureFailed ? undefined : ref?.controllerRevisionRef?.name
  return found?.lost === undefined || name === undefined || name === found.lost ? [] : [[found.lost, name]]
}

function storedName(found: Found<unknown> | undefined, ref: Ref): readonly string[] {
  const name = ref instanceof CaptureFailed ? undefined : ref?.controllerRevisionRef?.name
  return found === undefined || found.revision !== undefined || name === undefined ? [] : [name]
}

/**
 * Writes what has changed of the two references, and what must be remembered of how they came
 * about. What has failed stays as it was.
 */
async function record({ client, form, historyLimit }: CapturePorts, vm: VirtualMachine, outcome: Outcome): Promise<VirtualMachine> {
  const { refs, ...so } = outcome
  const old = {
    instancetypeRef: vm.status?.instancetypeRef ?? undefined,
    preferenceRef: vm.status?.preferenceRef ?? undefined,
    steadyvm: vm.status?.steadyvm,
  }
  const status = createMergePatch(old, {
    instancetypeRef: refs.instancetype instanceof CaptureFailed ? old.instancetypeRef : refs.instancetype,
    preferenceRef: refs.preference instanceof CaptureFailed ? old.preferenceRef : refs.preference,
    steadyvm: remember(vm, refs, { ...so, form, historyLimit }),
  })
  if (status === undefined) return vm
  // The resourceVersion makes a lost race a conflict, also with a later VM of the same name.
  const { name = '', namespace = '', resourceVersion } = vm.metadata
  const body = { metadata: { resourceVersion }, status }
  const recorded = await client.patch(virtualMachines, { namespace, name }, { type: 'merge', body }, { subresource: 'status' })
  const asked = vm.metadata.annotations?.[refreshAnnotation] ?? ''
  return !so.isWhole || asked === '' || isRefreshed(recorded, asked) ? recorded : recordElsewhere(client, recorded, asked)
}

/** The status has not kept which refresh was carried out. */
function recordElsewhere(client: CapturePorts['client'], { metadata }: VirtualMachine, refresh: string): Promise<VirtualMachine> {
  const { name = '', namespace = '', resourceVersion } = metadata
  const body = { metadata: { resourceVersion, annotations: { [refreshedAnnotation]: refresh } } }
  return client.patch(virtualMachines, { namespace, name }, { type: 'merge', body })
}
