import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type {
  InstancetypeStatusRef,
  PinnedHardwareStatus,
  VirtualMachine,
  VirtualMachineSteadyStatus,
} from '#api/kubevirt/v1/virtual-machine.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { findInstancetype, findPreference } from '../find/find.ts'
import { isRefreshed, refreshAnnotation, refreshedAnnotation } from '../find/pin.ts'
import type { Found, Lookup } from '../find/ports.ts'
import type { Family } from '../matcher.ts'
import type { Instancetype, Preference } from '../types.ts'
import { CaptureFailed, captureFailure } from './capture-failed.ts'
import { storeRevision, type StoreClient } from './store.ts'

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
export interface CapturePorts {
  readonly client: StoreClient
  readonly lookup: Lookup
  /** Why the VM cannot have this instance type; undefined when it can. What cannot be used is not pinned. */
  readonly objection: (inForce: InForce) => string | undefined
}

/** Finds what is in force for a VM. @throws CaptureFailed, whose message is the API's */
export async function findInForce(lookup: Lookup, vm: VirtualMachine): Promise<InForce> {
  const { instancetype, preference } = await search(lookup, vm)
  for (const found of [instancetype, preference]) if (found instanceof CaptureFailed) throw found
  return { instancetype, preference } as InForce
}

/**
 * Pins what is in force in ControllerRevisions and names them in the VM's status, in one patch. Each of the two is pinned as soon as it is found,
 * whatever becomes of the other: from then on it may change or vanish. Every step can be repeated: revisions are named by what they hold, and the
 * patch is left out when the status says all this already.
 */
export async function capture(ports: CapturePorts, vm: VirtualMachine): Promise<Captured> {
  const found = await search(ports.lookup, vm)
  const known = { instancetype: foundOrNone(found.instancetype), preference: foundOrNone(found.preference) }
  const objection = known.instancetype === undefined ? undefined : ports.objection(known)
  const when = known.instancetype?.revision === undefined ? whileStoring : ''
  const instancetype = objection === undefined ? found.instancetype : new CaptureFailed('FailedCreate', `${when}${objection}`)
  const refs = {
    instancetype: await refFor(ports.client, vm, 'instancetype', instancetype),
    preference: await refFor(ports.client, vm, 'preference', found.preference),
  }
  const failure = [instancetype, found.preference, refs.instancetype, refs.preference].find((part) => part instanceof CaptureFailed)
  const pinned = await record(ports.client, vm, refs, failure === undefined)
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

type Ref = InstancetypeStatusRef | CaptureFailed | undefined

async function refFor(
  client: StoreClient,
  vm: VirtualMachine,
  family: Family,
  found: Found<Instancetype | Preference> | CaptureFailed | undefined,
): Promise<Ref> {
  const matcher = vm.spec[family]
  if (matcher === undefined || found === undefined || found instanceof CaptureFailed) return found as CaptureFailed | undefined
  const name = found.revision?.metadata.name ?? (await store(client, vm, found.object))
  if (name instanceof CaptureFailed) return name
  const { revisionName: _, ...named } = matcher
  return { ...Object.fromEntries(Object.entries(named).filter(([, text]) => text !== '')), controllerRevisionRef: { name } }
}

/** KubeVirt's words. */
const whileStoring = 'error encountered while storing instancetype.kubevirt.io controllerRevisions: '

function store(client: StoreClient, vm: VirtualMachine, object: Instancetype | Preference): Promise<string | CaptureFailed> {
  return storeRevision(client, vm, object).catch((error: unknown) => captureFailure('FailedCreate', error, whileStoring))
}

/** Writes what has changed of the two references, and what must be remembered of how they came about. What has failed stays as it was. */
async function record(client: StoreClient, vm: VirtualMachine, refs: Record<Family, Ref>, isWhole: boolean): Promise<VirtualMachine> {
  const old = {
    instancetypeRef: vm.status?.instancetypeRef ?? undefined,
    preferenceRef: vm.status?.preferenceRef ?? undefined,
    steadyvm: vm.status?.steadyvm,
  }
  const status = createMergePatch(old, {
    instancetypeRef: refs.instancetype instanceof CaptureFailed ? old.instancetypeRef : refs.instancetype,
    preferenceRef: refs.preference instanceof CaptureFailed ? old.preferenceRef : refs.preference,
    steadyvm: remember(vm, refs, isWhole),
  })
  if (status === undefined) return vm
  // The resourceVersion makes a lost race a conflict, also with a later VM of the same name.
  const { name = '', namespace = '', resourceVersion } = vm.metadata
  const body = { metadata: { resourceVersion }, status }
  const recorded = await client.patch(virtualMachines, { namespace, name }, { type: 'merge', body }, { subresource: 'status' })
  const asked = vm.metadata.annotations?.[refreshAnnotation] ?? ''
  return !isWhole || asked === '' || isRefreshed(recorded, asked) ? recorded : recordElsewhere(client, recorded, asked)
}

/** The status has not kept which refresh was carried out. */
function recordElsewhere(client: StoreClient, { metadata }: VirtualMachine, refresh: string): Promise<VirtualMachine> {
  const { name = '', namespace = '', resourceVersion } = metadata
  const body = { metadata: { resourceVersion, annotations: { [refreshedAnnotation]: refresh } } }
  return client.patch(virtualMachines, { namespace, name }, { type: 'merge', body })
}

function remember(vm: VirtualMachine, refs: Record<Family, Ref>, isWhole: boolean): VirtualMachineSteadyStatus | undefined {
  const { instancetype: _i, preference: _p, refresh: handled, ...rest } = vm.status?.steadyvm ?? {}
  const asked = vm.metadata.annotations?.[refreshAnnotation]
  const refresh = isWhole && !isKeptElsewhere(vm, asked) ? asked : handled
  const next: VirtualMachineSteadyStatus = {
    ...rest,
    ...rememberFamily(vm, 'instancetype', refs.instancetype),
    ...rememberFamily(vm, 'preference', refs.preference),
    ...(refresh === undefined ? {} : { refresh }),
  }
  return Object.keys(next).length === 0 ? undefined : next
}

function isKeptElsewhere({ metadata }: VirtualMachine, asked: string | undefined): boolean {
  return asked !== undefined && metadata.annotations?.[refreshedAnnotation] === asked
}

/** Taking the revision's name away from the spec asks for the newest generation: that can only be seen by who remembers that there was one. */
function rememberFamily(vm: VirtualMachine, family: Family, ref: Ref): Partial<Record<Family, PinnedHardwareStatus>> {
  const old = vm.status?.steadyvm?.[family]
  if (ref instanceof CaptureFailed) return old === undefined ? {} : { [family]: old }
  const specRevisionName = vm.spec[family]?.revisionName ?? ''
  const { specRevisionName: _, newerGeneration, ...rest } = old ?? {}
  const isSame = ref?.controllerRevisionRef?.name === vm.status?.[`${family}Ref`]?.controllerRevisionRef?.name
  const next = {
    ...rest,
    ...(specRevisionName === '' ? {} : { specRevisionName }),
    ...(isSame && newerGeneration !== undefined ? { newerGeneration } : {}),
  }
  return ref === undefined || Object.keys(next).length === 0 ? {} : { [family]: next }
}
