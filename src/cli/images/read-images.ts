import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataSource } from '#api/cdi/v1beta1/data-source.ts'
import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataImportCrons, dataSources, dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { volumeSnapshots } from '#api/snapshot-storage/v1/resources.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { virtualMachinePools } from '#api/pool/v1beta1/resources.ts'
import { isForbidden, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { namedImage, type ImageLookup } from './image-report.ts'
import type { Consumers } from './image-users.ts'

type Reader = Pick<Client, 'get' | 'list'>

/** Images of a namespace, or of all. */
export interface ReadImages {
  readonly dataSources: readonly DataSource[]
  readonly dataVolumes: readonly DataVolume[]
  readonly claims: readonly PersistentVolumeClaim[]
  readonly lookup: ImageLookup
}

/** Reads DataSources with what they name, also in other namespaces. */
export async function readImages(client: Reader, namespace: string | undefined): Promise<ReadImages> {
  const where = namespace === undefined ? {} : { namespace }
  const [sources, crons, volumes, claims] = await Promise.all([
    client.list(dataSources, where),
    client.list(dataImportCrons, where),
    client.list(dataVolumes, where),
    client.list(persistentVolumeClaims, where),
  ])
  const byKey = {
    sources: index<DataSource>(sources.items),
    crons: index<DataImportCron>(crons.items),
    volumes: index<DataVolume>(volumes.items),
    claims: index<PersistentVolumeClaim>(claims.items),
    snapshots: new Map<string, KubeObject>(),
  }
  const dataSource = (own: string, name: string): DataSource | undefined => byKey.sources.get(`${own}/${name}`)
  for (const each of sources.items) {
    const image = namedImage(each, { dataSource })
    if (image === undefined) continue
    const key = { namespace: image.namespace, name: image.name }
    if (image.kind === 'snapshot') set(byKey.snapshots, await readable(client.get(volumeSnapshots, key)))
    else if (namespace !== undefined && image.namespace !== namespace) {
      set(byKey.volumes, await readable(client.get(dataVolumes, key)))
      set(byKey.claims, await readable(client.get(persistentVolumeClaims, key)))
    }
  }
  return {
    dataSources: sources.items,
    dataVolumes: volumes.items,
    claims: claims.items,
    lookup: {
      dataSource,
      cron: (own, name) => byKey.crons.get(`${own}/${name}`),
      dataVolume: (own, name) => byKey.volumes.get(`${own}/${name}`),
      claim: (own, name) => byKey.claims.get(`${own}/${name}`),
      snapshot: (own, name) => byKey.snapshots.get(`${own}/${name}`),
    },
  }
}

/** What cannot be read in another namespace is as if it were not there. */
async function readable<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await found(request)
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

function index<T extends KubeObject>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [`${item.metadata?.namespace ?? ''}/${item.metadata?.name ?? ''}`, item]))
}

function set<T extends KubeObject>(map: Map<string, T>, object: T | undefined): void {
  if (object !== undefined) map.set(`${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`, object)
}

/** Objects that may use images, and whether those of other namespaces could be read. */
export interface ReadConsumers {
  readonly consumers: Consumers
  readonly isWhole: boolean
}

/** Reads what may use the images of a namespace: in all namespaces, or else in that one. */
export async function readConsumers(client: Reader, namespace: string): Promise<ReadConsumers> {
  try {
    return { consumers: await consumersIn(client, {}), isWhole: true }
  } catch (error) {
    if (!isForbidden(error)) throw error
    return { consumers: await consumersIn(client, { namespace }), isWhole: false }
  }
}

async function consumersIn(client: Reader, where: { readonly namespace?: string }): Promise<Consumers> {
  const [vms, vmis, pools, volumes, sources] = await Promise.all([
    listServed(client, virtualMachines, where),
    listServed(client, virtualMachineInstances, where),
    listServed(client, virtualMachinePools, where),
    listServed(client, dataVolumes, where),
    listServed(client, dataSources, where),
  ])
  return { vms, vmis, pools, dataVolumes: volumes, dataSources: sources }
}

/** Lists a kind, which has no objects where it is not served. */
async function listServed<T extends KubeObject>(
  client: Reader,
  resource: ResourceType<T>,
  where: { readonly namespace?: string },
): Promise<readonly T[]> {
  try {
    return (await client.list(resource, where)).items
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}
