import { createHash } from 'node:crypto'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Network } from '#api/kubevirt/v1/network.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'

/** Annotations by which a pod asks Multus for networks. */
const annotations = {
  /** JSON. */
  networks: 'k8s.v1.cni.cncf.io/networks',
  /** `namespace/name` */
  defaultNetwork: 'v1.multus-cni.io/default-network',
} as const

/** A network of Multus that is not the default network of the pod. */
export type SecondaryNetwork = Network & { readonly multus: NonNullable<Network['multus']> }

/** Reports whether a network comes in addition to that of the pod. */
export function isSecondary(network: Network): network is SecondaryNetwork {
  return network.multus !== undefined && network.multus.default !== true
}

/** Returns the key of the definition of a network, `name` or `namespace/name`. */
export function definitionKey(namespace: string, networkName: string): { readonly namespace: string; readonly name: string } {
  const [first = '', second] = networkName.split('/', 2)
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second }
}

/** Returns the name of a network's interface in the launcher pod, as KubeVirt names it. */
export function podInterfaceName(networkName: string): string {
  return `pod${createHash('sha256').update(networkName).digest('hex').slice(0, 11)}`
}

/**
 * Returns the annotations of a launcher pod that ask Multus for the networks of its guest. Pure.
 */
export function networkAnnotations({ spec, metadata: { namespace = '' } }: VirtualMachineInstance): Record<string, string> {
  const networks = spec.networks ?? []
  const selected = networks.filter(isSecondary).map(({ name, multus }) => {
    const mac = spec.domain.devices.interfaces?.find((card) => card.name === name)?.macAddress
    return {
      ...definitionKey(namespace, multus.networkName),
      ...(mac === undefined ? {} : { mac }),
      interface: podInterfaceName(name),
    }
  })
  const chosen = networks.find(({ multus }) => multus?.default === true)?.multus?.networkName
  return {
    ...(selected.length === 0 ? {} : { [annotations.networks]: JSON.stringify(selected) }),
    ...(chosen === undefined ? {} : { [annotations.defaultNetwork]: chosen }),
  }
}

/**
 * Returns the annotation of a launcher pod when it does not ask for the networks that its guest has
 * now, as the patch of its metadata; undefined: it does. Where Multus follows it, the pod gets the
 * interfaces of cards that are plugged in. Pure.
 */
export function networksPatch(vmi: VirtualMachineInstance, pod: Pod): Record<string, string | null> | undefined {
  const name = annotations.networks
  const [has, wants] = [pod.metadata.annotations?.[name], networkAnnotations(vmi)[name]]
  return has === wants ? undefined : { [name]: wants ?? null }
}
