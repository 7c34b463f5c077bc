import { dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { DataSourceSource } from '#api/cdi/v1beta1/data-source.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { DataVolumeSourceRef, DataVolumeSpec } from '#api/cdi/v1beta1/data-volume-spec.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { lookUp, type Lookup } from '../lookup.ts'
import { InferenceFailed } from './inference-failed.ts'

/** Labels of the object that a volume comes from. */
export type Labels = Readonly<Record<string, string>>

/** Label to look for. Where an object lacks it, its source is searched. */
export interface Search {
  readonly lookup: Lookup
  /** Namespace of the VM. */
  readonly namespace: string
  readonly label: string
}

/**
 * Returns the labels of the object that has the default label. @throws InferenceFailed, StatusError
 */
export async function findVolumeLabels(search: Search, vm: VirtualMachine, volumeName: string): Promise<Labels> {
  const volume = vm.spec.template.spec.volumes?.find(({ name }) => name === volumeName)
  if (volume === undefined) throw new InferenceFailed(`unable to find volume ${volumeName} to infer defaults`, false)
  if (volume.persistentVolumeClaim !== undefined) return ofClaim(search, volume.persistentVolumeClaim.claimName)
  if (volume.dataVolume !== undefined) return ofDataVolume(search, vm, volume.dataVolume.name)
  throw new InferenceFailed(`unable to infer defaults from volume ${volumeName} as type is not supported`, true)
}

function ofClaim(search: Search, name: string, namespace?: string): Promise<Labels> {
  return ofObject(search, persistentVolumeClaims, { name, namespace })
}

/** The DataVolume template wins over the DataVolume, which may not exist yet. */
async function ofDataVolume(search: Search, vm: VirtualMachine, name: string): Promise<Labels> {
  const template = vm.spec.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === name)
  if (template !== undefined) return ofDataVolumeSpec(search, template.spec)
  // A finished DataVolume may be deleted; its PVC has the same name.
  const dataVolume = await found(lookUp(search.lookup, dataVolumes, search.namespace, name))
  if (dataVolume === undefined) return ofClaim(search, name)
  return labelsWith(search, dataVolume) ?? ofDataVolumeSpec(search, dataVolume.spec)
}

async function ofDataVolumeSpec(search: Search, { source, sourceRef }: DataVolumeSpec): Promise<Labels> {
  const found = ofSource(search, (source ?? {}) as DataSourceSource, undefined)
  if (found !== undefined) return found
  if (sourceRef !== undefined) return ofSourceRef(search, sourceRef)
  throw new InferenceFailed('unable to infer defaults from DataVolumeSpec as DataVolumeSource is not supported', true)
}

async function ofSourceRef(search: Search, { kind, name, namespace = search.namespace }: DataVolumeSourceRef): Promise<Labels> {
  if (kind !== 'DataSource') {
    throw new InferenceFailed(`unable to infer defaults from DataVolumeSourceRef as Kind ${kind} is not supported`, true)
  }
  const dataSource = await lookUp(search.lookup, dataSources, namespace, name)
  const found = labelsWith(search, dataSource) ?? ofSource(search, dataSource.spec.source, namespace)
  if (found !== undefined) return found
  const lacking = "doesn't provide DataVolumeSourcePVC or DataVolumeSourceSnapshot"
  throw new InferenceFailed(`unable to infer defaults from DataSource that ${lacking}`, true)
}

function ofSource(search: Search, { pvc, snapshot }: DataSourceSource, namespace: string | undefined): Promise<Labels> | undefined {
  if (pvc !== undefined) return ofClaim(search, pvc.name, pvc.namespace || namespace)
  if (snapshot !== undefined) return ofObject(search, volumeSnapshots, { name: snapshot.name, namespace: snapshot.namespace || namespace })
  return undefined
}

async function ofObject(
  search: Search,
  resource: ResourceType<KubeObject>,
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): Promise<Labels> {
  const labels = labelsWith(search, await lookUp(search.lookup, resource, namespace ?? search.namespace, name))
  if (labels !== undefined) return labels
  throw new InferenceFailed(`unable to find required ${search.label} label on the volume`, true)
}

function labelsWith({ label }: Search, { metadata }: KubeObject): Labels | undefined {
  const { labels = {} } = metadata ?? {}
  return Object.hasOwn(labels, label) && labels[label] !== '' ? labels : undefined
}
