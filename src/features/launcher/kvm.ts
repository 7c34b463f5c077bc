import type { Node } from '#api/core/v1/node.ts'
import type { Lister } from '#runtime/cache/lister.ts'

/** Label of a node with the accelerator of its guests, `kvm` or `tcg`, set by its node agent. */
export const acceleratorLabel = 'steadyvm.io/accelerator'

/** Facts that decide whether the launchers of new guests request KVM. */
export interface KvmOptions {
  /** True if launchers run in containers. */
  readonly inContainer: boolean
  readonly nodes: Pick<Lister<Node>, 'list'>
  readonly config: () => { readonly useEmulation: boolean }
}

/**
 * Reports whether the launcher of a new guest requests KVM: if any node has it, so that the
 * scheduler does not choose one that emulates. Undefined until a node agent has reported, as a pod
 * gets /dev/kvm when it is created, or never.
 */
export function needsKvm({ inContainer, nodes, config }: KvmOptions): boolean | undefined {
  if (!inContainer || config().useEmulation) return false
  const accelerators = nodes.list().flatMap(({ metadata }) => metadata.labels?.[acceleratorLabel] ?? [])
  return accelerators.length === 0 ? undefined : accelerators.includes('kvm')
}
