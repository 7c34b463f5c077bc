import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts, virtualMachineInstanceMigrations, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstanceMigration } from '#api/kubevirt/v1/virtual-machine-instance-migration.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'

/** Observations since the start: new migrations, and the last state of guests and system. */
export interface Observation {
  readonly migrations: ReadonlyMap<string, VirtualMachineInstanceMigration>
  readonly guests: ReadonlyMap<string, VirtualMachineInstance>
  readonly kubevirt: KubeVirt | undefined
}

/** Waits for a matching observation. Dispose it to stop the watches. */
export interface Observer extends AsyncDisposable {
  readonly isOver: boolean
}

/**
 * Calls `act` once, at the first matching observation. Watches deliver every stored state, so that
 * none is missed.
 */
export async function whenObserved(client: Client, matches: (observation: Observation) => boolean, act: () => void): Promise<Observer> {
  const stop = new AbortController()
  const observation = { migrations: new Map(), guests: new Map(), kubevirt: undefined as KubeVirt | undefined }
  const known = new Set<string>()
  let isOver = false
  const observe = async <T extends KubeObject>(resource: ResourceType<T>, record: (object: T) => void): Promise<Promise<void>> => {
    const { metadata } = await client.list(resource)
    const { resourceVersion = '' } = metadata ?? {}
    const watching = async (): Promise<void> => {
      for await (const { object } of client.watch(resource, { resourceVersion, signal: stop.signal })) {
        record(object)
        if (isOver || !matches(observation)) continue
        isOver = true
        act()
      }
    }
    // The killed process may be the API server: then nothing can be observed.
    return watching().catch((error: unknown) => {
      if (!isOver && !stop.signal.aborted) throw error
    })
  }
  for (const { metadata } of (await client.list(virtualMachineInstanceMigrations)).items) known.add(metadata.uid ?? '')
  for (const vmi of (await client.list(virtualMachineInstances)).items) observation.guests.set(vmi.metadata.name ?? '', vmi)
  const watches = [
    observe(kubeVirts, (kubevirt) => (observation.kubevirt = kubevirt)),
    observe(virtualMachineInstances, (vmi) => observation.guests.set(vmi.metadata.name ?? '', vmi)),
    observe(virtualMachineInstanceMigrations, (migration) => {
      const { uid = '' } = migration.metadata
      if (!known.has(uid)) observation.migrations.set(uid, migration)
    }),
  ]
  return {
    get isOver() {
      return isOver
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(watches)
    },
  }
}
