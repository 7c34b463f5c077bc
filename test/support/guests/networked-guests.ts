import { networkInterfaces } from 'node:os'
import { testClusterHome } from '../place.ts'
import { editGuest } from '../manifests.ts'

/** True on a Kubernetes cluster, where guests are in the network of their pods. */
export const isCluster: boolean = testClusterHome !== undefined

/** Gives a VM a card of the pod network. */
export function networked(vm: string, card: object = { masquerade: {} }): string {
  return editGuest(vm, ({ domain, ...spec }) => ({
    ...spec,
    networks: [{ name: 'default', pod: {} }],
    domain: { ...domain, devices: { ...domain.devices, interfaces: [{ name: 'default', ...card }] } },
  }))
}

/**
 * Returns an address of the test's own network, which guests reach as the outside; undefined when
 * the machine has none.
 */
export function outsideAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  // Networks of machine mode begin with 10, and so does that of the test cluster.
  return addresses.find(({ internal, family, address }) => !internal && family === 'IPv4' && address.startsWith('10.') === isCluster)
    ?.address
}

/** Returns a migration of a guest. */
export function migrationOf(name: string, { namespace, vmiName }: { readonly namespace: string; readonly vmiName: string }): string {
  const kind = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstanceMigration' }
  return JSON.stringify({ ...kind, metadata: { name, namespace }, spec: { vmiName } })
}
