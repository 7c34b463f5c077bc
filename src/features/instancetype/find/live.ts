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
 * Gets the object that the VM's matcher names. Read from the API and never from a cache: the result
 * is captured for the life of the VM, and a refresh right after an edit must see it. @throws
 * StatusError, UnexpectedKind
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

/** Returns the cached object that the VM's matcher names. May be stale: for messages only. */
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
  // An empty name would make this the URL of the list.
  if (name === '') throw notFound(resource, name)
  return client.get(resource, resource.namespaced ? { namespace: vm.metadata.namespace ?? '', name } : { name })
}
