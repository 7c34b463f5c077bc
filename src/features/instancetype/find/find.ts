import { controllerRevisions } from '#api/apps/v1/resources.ts'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { InstancetypeStatusRef, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import { isNotFound, notFound } from '#apimachinery/errors.ts'
import { instancetypeKindOf, preferenceKindOf } from '../matcher.ts'
import { decodeInstancetype, decodePreference } from '../revision/codec.ts'
import { revisionName } from '../revision/controller-revision.ts'
import type { Instancetype, Preference } from '../types.ts'
import { lookUp, type Found, type Lookup } from './ports.ts'

/**
 * The instance type that is in force for a VM: the revision that its spec names, else the one that its status names (if it is of the object
 * that the spec now wants), else the live object. @throws StatusError, RevisionUndecodable, UnexpectedKind
 */
export async function findInstancetype(lookup: Lookup, vm: VirtualMachine): Promise<Found<Instancetype> | undefined> {
  const matcher = vm.spec.instancetype
  if (matcher === undefined) return undefined
  const kind = instancetypeKindOf(matcher)
  return find(vm, matcher, vm.status?.instancetypeRef, {
    lookup,
    kind,
    decode: decodeInstancetype,
    live: () => findLiveInstancetype(lookup, vm),
  })
}

/** See {@link findInstancetype}. */
export async function findPreference(lookup: Lookup, vm: VirtualMachine): Promise<Found<Preference> | undefined> {
  const matcher = vm.spec.preference
  if (matcher === undefined) return undefined
  const kind = preferenceKindOf(matcher)
  return find(vm, matcher, vm.status?.preferenceRef, { lookup, kind, decode: decodePreference, live: () => findLivePreference(lookup, vm) })
}

/** The object that the VM's matcher names, as it is now. @throws StatusError, UnexpectedKind */
async function findLiveInstancetype(lookup: Lookup, vm: VirtualMachine): Promise<Instancetype> {
  const matcher = vm.spec.instancetype ?? {}
  const kind = instancetypeKindOf(matcher)
  const resource = kind === 'VirtualMachineInstancetype' ? virtualMachineInstancetypes : virtualMachineClusterInstancetypes
  const { metadata, spec } = await lookUp(lookup, resource, vm.metadata.namespace ?? '', matcher.name ?? '')
  return { kind, metadata, spec }
}

/** See {@link findLiveInstancetype}. */
async function findLivePreference(lookup: Lookup, vm: VirtualMachine): Promise<Preference> {
  const matcher = vm.spec.preference ?? {}
  const kind = preferenceKindOf(matcher)
  const resource = kind === 'VirtualMachinePreference' ? virtualMachinePreferences : virtualMachineClusterPreferences
  const { metadata, spec } = await lookUp(lookup, resource, vm.metadata.namespace ?? '', matcher.name ?? '')
  return { kind, metadata, spec }
}

interface Family<T> {
  readonly lookup: Lookup
  readonly kind: string
  readonly decode: (revision: ControllerRevision) => T
  readonly live: () => Promise<T>
}

async function find<T extends Instancetype | Preference>(
  vm: VirtualMachine,
  matcher: { readonly name?: string; readonly revisionName?: string },
  ref: InstancetypeStatusRef | null | undefined,
  family: Family<T>,
): Promise<Found<T>> {
  const namespace = vm.metadata.namespace ?? ''
  const named = matcher.revisionName ?? ''
  if (named !== '') {
    const revision = await lookUp(family.lookup, controllerRevisions, namespace, named)
    return { object: family.decode(revision), revision }
  }
  const recorded = ref?.controllerRevisionRef?.name ?? ''
  // After a switch the status still names the old object's revision; one name can exist in both scopes, so the kind counts too.
  if (recorded === '' || ref?.name !== matcher.name) return { object: await family.live() }
  const revision = await revisionIfThere(family.lookup, namespace, recorded)
  if (revision === undefined) return { object: await recapturable(vm, recorded, family) }
  const object = family.decode(revision)
  return object.metadata.name === matcher.name && object.kind === family.kind ? { object, revision } : { object: await family.live() }
}

/**
 * A revision that was deleted by hand can be taken again as long as the live object is still the one it held. Otherwise the VM's hardware is lost,
 * and to take another silently would be worse than to stop. @throws StatusError NotFound
 */
async function recapturable<T extends Instancetype | Preference>(vm: VirtualMachine, recorded: string, family: Family<T>): Promise<T> {
  const object = await family.live()
  if (revisionName(vm.metadata.name ?? '', object) === recorded) return object
  throw notFound(controllerRevisions, recorded)
}

async function revisionIfThere(lookup: Lookup, namespace: string, name: string): Promise<ControllerRevision | undefined> {
  try {
    return await lookUp(lookup, controllerRevisions, namespace, name)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
