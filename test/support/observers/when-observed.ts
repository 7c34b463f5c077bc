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

/** Waits for something to be seen. Dispose it to look no more. */
export interface Observer extends AsyncDisposable {
  readonly isOver: boolean
}

/**
 * Acts once, in the moment in which something is seen: of every state that is stored, none is
 * missed.
 */
export async function whenObserved(client: Client, isSeen: (seen: Observation) => boolean, act: () => void): Promise<Observer> {
  const stop = new AbortController()
  const seen = { migrations: new Map(), guests: new Map(), kubevirt: undefined as KubeVirt | undefined }
  const known = new Set<string>()
  let isOver = false
  const look = async <T extends KubeObject>(resource: ResourceType<T>, note: (object: T) => void): Promise<Promise<void>> => {
    const { metadata } = await client.list(resource)
    const { resourceVersion = '' } = metadata ?? {}
    const watching = async (): Promise<void> => {
      for await (const { object } of client.watch(resource, { resourceVersion, signal: stop.signal })) {
        note(object)
        if (isOver || !isSeen(seen)) continue
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
  for (const vmi of (await client.list(virtualMachineInstances)).items) seen.guests.set(vmi.metadata.name ?? '', vmi)
  const watches = [
    look(kubeVirts, (kubevirt) => (seen.kubevirt = kubevirt)),
    look(virtualMachineInstances, (vmi) => seen.guests.set(vmi.metadata.name ?? '', vmi)),
    look(virtualMachineInstanceMigrations, (migration) => {
      const { uid = '' } = migration.metadata
      if (!known.has(uid)) seen.migrations.set(uid, migration)
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
