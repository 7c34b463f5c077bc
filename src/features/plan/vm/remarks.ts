import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { families, namedObject } from '../cluster-state/named-objects.ts'
import type { VmState } from './vm-state.ts'
import type { ClusterState } from '../cluster-state/cluster-state.ts'

/** A name may exist in both scopes, and a matcher without kind selects the cluster scope. */
export function namesakesOf(cluster: ClusterState, vm: VirtualMachine): string[] {
  return families.flatMap((family) => {
    const named = namedObject(vm, family)
    if (named === undefined || cluster.live({ kind: named.kind, metadata: { ...named } }) !== undefined) return []
    const isCluster = named.kind.includes('Cluster')
    const kind = isCluster ? named.kind.replace('Cluster', '') : named.kind.replace('VirtualMachine', 'VirtualMachineCluster')
    const namespace = vm.metadata.namespace ?? ''
    const namesake = cluster.live({ kind, metadata: { name: named.name, ...(isCluster ? { namespace } : {}) } })
    return namesake === undefined ? [] : [`there is a ${kind} "${named.name}": name that kind if it is meant`]
  })
}

/** Explains why an edited type does not reach a VM, or why a VM cannot start. */
export function whyUnchanged(cluster: ClusterState, { inForce, failure }: VmState): { readonly reason?: string } {
  if (failure !== undefined) return { reason: failure }
  const reasons = [inForce?.instancetype, inForce?.preference].flatMap((found) => {
    if (found?.revision === undefined) return []
    const live = cluster.live(found.object)
    const generation = found.object.metadata.generation ?? 0
    if (live === undefined) return [`keeps ${found.object.metadata.name} as captured at generation ${generation}`]
    if (live.metadata?.uid !== found.object.metadata.uid || live.metadata?.generation === generation) return []
    return [
      `captured ${found.object.metadata.name} at generation ${generation}; refresh the VM to take generation ${live.metadata?.generation}`,
    ]
  })
  return reasons.length === 0 ? {} : { reason: reasons.join('; ') }
}
