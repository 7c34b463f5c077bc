import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { createDialerChoice, type NetworkDialer } from '#runtime/network/network-dialer.ts'
import { inNetworkNamespace } from '#runtime/network/network-namespace.ts'
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
  /** Returns what reaches an address, of this network or of the machine's. */
  dialerFor(host: string): NetworkDialer
}

/** Where a machine's pod network is. */
export interface PodNetworkOptions {
  /**
   * Folder of the network's static pod: `namespace`, and `ready` with the number of the namespace
   * once it can be used.
   */
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

const patienceMs = 20_000
const lookMs = 50

/** Uses the pod network of this machine. */
export function createPodNetwork({ directory, addresses, prefix, clock }: PodNetworkOptions): PodNetwork {
  const known = new Map<string, string>()
  const namespace = join(directory, 'namespace')
  return {
    addressOf(pod) {
      const key = `${pod.metadata.namespace ?? ''}/${lastingName(pod) ?? ''}`
      return known.getOrInsertComputed(key, () => allocateAddress(addresses, prefix, key))
    },
    async enter(command) {
      for (const end = clock.now() + patienceMs; !isReady(directory); await clock.sleep(lookMs)) {
        if (clock.now() > end)
          throw new ContainerConfigError(`the pod network is not ready: see "kubectl logs -n kubevirt" of the pod "pod-network"`)
      }
      return inNetworkNamespace(namespace, [...withoutRights(), ...command])
    },
    dialerFor: createDialerChoice({ namespace, prefix, clock }),
  }
}

/** After a crash or a reboot, the namespace may be another one, or none. */
function isReady(directory: string): boolean {
  try {
    return statSync(join(directory, 'namespace')).ino === Number(readFileSync(join(directory, 'ready'), 'utf8'))
  } catch {
    return false
  }
}

/** Who entered the network without root has rights there that no pod needs. */
function withoutRights(): readonly string[] {
  return process.geteuid?.() === 0 ? [] : ['setpriv', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--']
}
