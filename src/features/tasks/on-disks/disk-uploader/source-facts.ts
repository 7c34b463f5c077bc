import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { found } from '#client/found.ts'
import { runningArchitecture } from '#importer/registry/index.ts'
import type { TaskContext } from '../../task.ts'
import type { Upload } from './parameters.ts'

/** What an image says about its disk. */
export interface SourceFacts {
  readonly labels: Readonly<Record<string, string>>
  readonly architecture: string
}

/**
 * Reads the labels of the volume, and the architecture of its VM. The volume of a snapshot may be
 * gone.
 */
export async function readSourceFacts({ client, namespace, signal }: TaskContext, { source, volume }: Upload): Promise<SourceFacts> {
  const key = { namespace, name: volume }
  const dataVolume = await found(client.get(dataVolumes, key, { signal }))
  const claim = await found(client.get(persistentVolumeClaims, key, { signal }))
  const vm =
    source.kind === 'VirtualMachine' ? await found(client.get(virtualMachines, { namespace, name: source.name }, { signal })) : undefined
  return {
    labels: { ...claim?.metadata.labels, ...dataVolume?.metadata.labels },
    architecture: vm?.spec.template.spec.architecture || runningArchitecture(),
  }
}
