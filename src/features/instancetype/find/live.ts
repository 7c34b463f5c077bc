import {
  virtualMachineClusterInstancetypes,
  virtualMachineClusterPreferences,
  virtualMachineInstancetypes,
  virtualMachinePreferences,
} from '#api/instancetype/v1beta1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { notFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { instancetypeKindOf, preferenceKindOf, type Family } from '../matcher.ts'
import type { Instancetype, Preference } from '../types.ts'
import type { Lookup } from '../lookup.ts'

/**
 * The object that the VM's matcher names, as it is now. Asked of the API and never of a cache: what
 * is read here is pinned for the life of the VM, and whoever has just changed an instance type and
 * refreshes a VM must get what they wrote. @throws StatusError, UnexpectedKind
 */
export async function findLiveInstancetype(lookup: Lookup, vm: VirtualMachine): Promise<Instancetype> {
  const matcher = vm.spec.instancetype ?? {}
  const kind = instancetypeKindOf(matcher)
  const resource = kind === 'VirtualMachineInstancetype' ? virtualMachineInstancetypes : virtualMachineClusterInstancetypes
  const { metadata, spec } = await get(lookup, resource, vm, matcher.name)
  return { kind, metadata, spec }
}

/** See {@link findLiveInstancetype}. */
export async function findLivePreference(lookup: Lookup, vm: VirtualMachine): Promise<Preference> {
  const matcher = vm.spec.preference ?? {}
  const kind = preferenceKindOf(matcher)
  const resource = kind === 'VirtualMachinePreference' ? virtualMachinePreferences : virtualMachineClusterPreferences
  const { metadata, spec } = await get(lookup, resource, vm, matcher.name)
  return { kind, metadata, spec }
}

/**
 * What a cache knows of the object that the VM's matcher names: enough to tell people of, and not
 * to act on.
 */
export function liveInCache(lookup: Lookup, vm: VirtualMachine, family: Family): KubeObject | undefined {
  const matcher = vm.spec[family]
  if (matcher?.name === undefined) return undefined
  const resource = resources[family === 'instancetype' ? instancetypeKindOf(matcher) : preferenceKindOf(matcher)]
  return lookup.cached?.<KubeObject>(resource, resource.namespaced ? (vm.metadata.namespace ?? '') : '', matcher.name)
}

const resources = {
  VirtualMachineInstancetype: virtualMachineInstancetypes,
  VirtualMachineClusterInstancetype: virtualMachineClusterInstancetypes,
  VirtualMachinePreference: virtualMachinePreferences,
  VirtualMachineClusterPreference: virtualMachineClusterPreferences,
} as const

async function get<T extends KubeObject>({ client }: Lookup, resource: ResourceType<T>, vm: VirtualMachine, name = ''): Promise<T> {
  // Without a name this would be the URL of the list.
  if (name === '') throw notFound(resource, name)
  return client.get(resource, resource.namespaced ? { namespace: vm.metadata.namespace ?? '', name } : { name })
}
