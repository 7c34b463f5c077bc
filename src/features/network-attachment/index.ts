/**
 * Networks beside the pod network, which NetworkAttachmentDefinitions describe.
 *
 * `networkAnnotations` asks Multus for the interfaces of a launcher pod on a cluster.
 * `bridgeNetworkOf` reads a definition where there is no Multus: in machine mode, whose node agent
 * (`#features/node-agent`) makes the network itself.
 */
export { addressesIn, type AddressPool, type Route } from './address-pool.ts'
export { bridgeNetworkOf, UnsupportedNetwork, type BridgeNetwork } from './bridge-network.ts'
export { definitionKey, isSecondary, networkAnnotations, networksPatch, podInterfaceName } from './selection.ts'
