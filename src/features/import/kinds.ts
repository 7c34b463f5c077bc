import { controllerRevisions } from '#api/apps/v1/resources.ts'
import * as instancetypes from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachineSnapshotContents, virtualMachineSnapshots } from '#api/snapshot/v1beta1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'

/** Kinds that are imported, in the order of their creation, and the versions that are read. */
export const importedKinds: readonly { readonly resource: ResourceType<KubeObject>; readonly versions: readonly string[] }[] = [
  { resource: instancetypes.virtualMachineClusterInstancetypes, versions: ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'] },
  { resource: instancetypes.virtualMachineClusterPreferences, versions: ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'] },
  { resource: instancetypes.virtualMachineInstancetypes, versions: ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'] },
  { resource: instancetypes.virtualMachinePreferences, versions: ['v1alpha1', 'v1alpha2', 'v1beta1', 'v1'] },
  { resource: controllerRevisions, versions: ['v1'] },
  { resource: virtualMachineSnapshots, versions: ['v1alpha1', 'v1beta1'] },
  { resource: virtualMachineSnapshotContents, versions: ['v1alpha1', 'v1beta1'] },
  { resource: virtualMachines, versions: ['v1alpha3', 'v1'] },
] as unknown as readonly { readonly resource: ResourceType<KubeObject>; readonly versions: readonly string[] }[]

/** Returns the kind of an object among them; undefined for others. */
export function importedKindOf({ apiVersion = '', kind = '' }: KubeObject): (typeof importedKinds)[number] | undefined {
  const [group = '', version = ''] = apiVersion.split('/')
  return importedKinds.find(({ resource, versions }) => resource.kind === kind && resource.group === group && versions.includes(version))
}
