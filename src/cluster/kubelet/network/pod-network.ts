import { existsSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { inNetworkNamespace } from '#runtime/process/network-namespace.ts'
import { ContainerConfigError } from '../environment/configuration-source.ts'
import { allocateAddress } from './lasting-addresses.ts'

/** The network of pods that ask for one: a network namespace with addresses that last. */
export interface PodNetwork {
  /**
   * Returns the address of a pod with {@link lastingName}. @throws ContainerConfigError when all
   * are taken
   */
  addressOf(pod: Pod): string
  /**
   * Returns the command that enters the network. @throws ContainerConfigError while it is not ready
   */
  enter(command: readonly string[]): Promise<readonly string[]>
}

/** Where a machine's pod network is. */
export interface PodNetworkOptions {
  /** Folder of the network's static pod: `namespace`, and `ready` once it can be used. */
  readonly directory: string
  /** Folder with a file for each address that was ever given to a pod. */
  readonly addresses: string
  /** First two numbers of all addresses: `10.115`. */
  readonly prefix: string
  readonly clock: Clock
}

/**
 * A pod with this annotation runs in the pod network, where it has the address that all pods of
 * its namespace with the same value have: successors, and the other end of a live migration.
 */
export const podNetworkAnnotation = 'steadyvm.io/pod-network'

/** The name by which a pod keeps its address; undefined for pods in the machine's network. */
export function lastingName({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[podNetworkAnnotation]
}

/** `f_type` of a file that is a mounted namespace: NSFS_MAGIC of linux/magic.h. */
const namespaceFileSystem = 0x6e736673
const patienceMs = 20_000
const lookMs = 50

/** Uses the pod network of this machine. */
export function createPodNetwork({ directory, addresses, prefix, clock }: PodNetworkOptions): PodNetwork {
  const known = new Map<string, string>()
  const namespace = join(directory, 'namespace')
  // After a reboot the file may be there, without what was mounted on it.
  const isReady = (): boolean => existsSync(join(directory, 'ready')) && statfsSync(namespace).type === namespaceFileSystem
  return {
    addressOf(pod) {
      const key = `${pod.metadata.namespace ?? ''}/${lastingName(pod) ?? ''}`
      return known.getOrInsertComputed(key, () => allocateAddress(addresses, prefix, key))
    },
    async enter(command) {
      for (const end = clock.now() + patienceMs; !isReady(); await clock.sleep(lookMs)) {
        if (clock.now() > end)
          throw new ContainerConfigError(`the pod network is not ready: see "kubectl logs -n kubevirt" of the pod "pod-network"`)
      }
      return inNetworkNamespace(namespace, command)
    },
  }
}
