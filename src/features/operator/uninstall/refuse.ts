import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { virtualMachineInstanceReplicaSets, virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { badRequest } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { AdmissionAnswer } from '#runtime/webhook/admission-answer.ts'

/** Kinds and names in KubeVirt's order. */
const workloads: readonly (readonly [ResourceType<KubeObject>, string])[] = [
  [virtualMachineInstances, 'Virtual Machine Instances'],
  [virtualMachines, 'Virtual Machines'],
  [virtualMachineInstanceReplicaSets as ResourceType<KubeObject>, 'Virtual Machine Instance Replica Sets'],
]

/**
 * Refuses to delete a KubeVirt object with the uninstall strategy BlockUninstallIfWorkloadsExist
 * while there are workloads. @throws StatusError 400 with KubeVirt's message
 */
export async function admitUninstall(client: Pick<Client, 'list'>, { oldObject }: AdmissionRequest): Promise<AdmissionAnswer> {
  const { spec, status } = oldObject as KubeVirt
  if (spec.uninstallStrategy !== 'BlockUninstallIfWorkloadsExist' || status?.phase !== 'Deployed') return { allowed: true }
  for (const [resource, words] of workloads) {
    if (!(await areThere(client, resource))) continue
    throw badRequest(
      `Rejecting the uninstall request, since there are still ${words} present. Either delete all KubeVirt related workloads or change the uninstall strategy before uninstalling KubeVirt.`,
    )
  }
  return { allowed: true }
}

async function areThere(client: Pick<Client, 'list'>, resource: ResourceType<KubeObject>): Promise<boolean> {
  const list = await found(client.list(resource, { limit: 1 }))
  return list !== undefined && list.items.length > 0
}
