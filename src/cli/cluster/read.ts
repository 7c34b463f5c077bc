import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt, type ClusterConfig, toClusterConfig } from '#features/cluster-config/index.ts'
import type { CliContext } from '../context.ts'

/** Gets a VM. @throws StatusError NotFound, with kubectl's message */
export async function getVm(client: Pick<Client, 'get'>, key: { namespace: string; name: string }): Promise<VirtualMachine> {
  return client.get(virtualMachines, key)
}

/** Reads the cluster configuration. Users without access get the defaults and a warning. */
export async function readClusterConfig(context: CliContext, client: Pick<Client, 'list'>): Promise<ClusterConfig> {
  return toClusterConfig(chooseKubeVirt(await listKubeVirts(context, client)))
}

async function listKubeVirts(context: CliContext, client: Pick<Client, 'list'>): Promise<readonly KubeVirt[]> {
  try {
    return (await client.list(kubeVirts)).items
  } catch (error) {
    if (!(error instanceof StatusError) || !['Forbidden', 'NotFound'].includes(error.reason)) throw error
    context.process.stderr.write('warning: The cluster configuration cannot be read: its defaults are assumed\n')
    return []
  }
}
