import type { NetworkAttachmentDefinition } from '#api/k8s-cni-cncf/v1/network-attachment-definition.ts'
import { addressPoolOf, type AddressPool, type Route } from './address-pool.ts'
import { formatIpv4, parseIpv4 } from '#apimachinery/ip/ipv4.ts'
import { fieldsOf, UnsupportedNetwork } from './unsupported-network.ts'

export { UnsupportedNetwork } from './unsupported-network.ts'

/** A network that guests share by a bridge. */
export interface BridgeNetwork {
  /** Name of the layer 2 network: that of the bridge, and its VLAN. Definitions may share it. */
  readonly segment: string
  /** Bytes of the largest packet. */
  readonly mtu?: number
  /** Addresses of guests. Absent: they have none, or configure them. */
  readonly pool?: AddressPool
  /** True if the bridge has the address of the pool's router. */
  readonly isGateway: boolean
  /** True if guests reach the outside through the bridge. */
  readonly masquerades: boolean
  /** True if guests send from the MAC address of their card only. */
  readonly checksMac: boolean
  /** True if guests reach the bridge, and no other guest. */
  readonly isolatesPorts: boolean
}

/** Types of CNI plugins that connect pods to a bridge. */
const bridgeTypes: readonly unknown[] = ['bridge', 'cnv-bridge']
/** Types of plugins that change nothing when they have no settings. */
const emptyTypes: readonly unknown[] = ['tuning', 'cnv-tuning']
/** Fields of a bridge that say nothing about the network, or where state is kept. */
const neutral = ['cniVersion', 'name', 'type', 'dataDir', 'disableCheck', 'capabilities', 'forceAddress', 'ipMasqBackend']

/**
 * Reads the bridge that a definition describes, by a plugin or a list of plugins. Pure. @throws
 * UnsupportedNetwork
 */
export function bridgeNetworkOf({ spec }: NetworkAttachmentDefinition): BridgeNetwork {
  const config = parsed(spec?.config)
  const { plugins } = config
  if (plugins === undefined) return bridgeOf(config)
  if (!Array.isArray(plugins)) throw new UnsupportedNetwork('"plugins" must be a list')
  const [first, ...others] = plugins.map((plugin) => fieldsOf(plugin, 'plugins[]'))
  for (const { type, ...settings } of others) {
    if (!emptyTypes.includes(type) || Object.keys(settings).length > 0)
      throw new UnsupportedNetwork(`plugin ${JSON.stringify(type)} after the bridge is not supported`)
  }
  return bridgeOf(first ?? {})
}

function parsed(config: string | undefined): Readonly<Record<string, unknown>> {
  if (config === undefined || config.trim() === '')
    throw new UnsupportedNetwork('spec.config is empty: configurations on the disks of nodes are not supported')
  try {
    return fieldsOf(JSON.parse(config), 'spec.config')
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new UnsupportedNetwork(`spec.config is no JSON: ${error.message}`)
  }
}

/** Value of a field, by what it must be. */
const kinds = { boolean: false, number: 0, string: '' }

function bridgeOf(config: Readonly<Record<string, unknown>>): BridgeNetwork {
  if (!bridgeTypes.includes(config['type']))
    throw new UnsupportedNetwork(`type ${JSON.stringify(config['type'])} is not supported: guests of a machine share bridges`)
  const take = <K extends keyof typeof kinds>(field: string, kind: K): (typeof kinds)[K] | undefined => {
    const value = config[field]
    if (value === undefined || value === null || typeof value === kind) return (value ?? undefined) as (typeof kinds)[K] | undefined
    throw new UnsupportedNetwork(`"${field}" must be a ${kind}`)
  }
  const bridge = take('bridge', 'string') || 'cni0'
  const vlan = take('vlan', 'number') ?? 0
  const mtu = take('mtu', 'number') ?? 0
  const isDefault = take('isDefaultGateway', 'boolean') === true
  const isGateway = isDefault || take('isGateway', 'boolean') === true
  const masquerades = take('ipMasq', 'boolean') === true
  const network = {
    segment: vlan === 0 ? bridge : `${bridge}.${vlan}`,
    ...(mtu === 0 ? {} : { mtu }),
    isGateway,
    masquerades,
    checksMac: take('macspoofchk', 'boolean') === true,
    isolatesPorts: take('portIsolation', 'boolean') === true,
  }
  refuseOthers(config)
  if (!Number.isInteger(vlan) || vlan < 0 || vlan > 4094) throw new UnsupportedNetwork('"vlan" must be from 1 to 4094')
  if (mtu !== 0 && (!Number.isInteger(mtu) || mtu < 576 || mtu > 65_535)) throw new UnsupportedNetwork('"mtu" must be from 576 to 65535')
  const pool = addressPoolOf(config['ipam'])
  if (pool === undefined) {
    if (isGateway || masquerades) throw new UnsupportedNetwork('"isGateway" and "ipMasq" need "ipam", which gives the router an address')
    return network
  }
  if (masquerades && !isGateway) throw new UnsupportedNetwork('"ipMasq" needs "isGateway": guests reach the outside through the bridge')
  return { ...network, pool: withRouter(pool, { isGateway, isDefault }) }
}

const known = ['bridge', 'vlan', 'mtu', 'isDefaultGateway', 'isGateway', 'ipMasq', 'macspoofchk', 'portIsolation', 'ipam', ...neutral]

/** Refuses fields that are set and would have no effect. */
function refuseOthers(config: Readonly<Record<string, unknown>>): void {
  const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== 0
  const [unknown] = Object.entries(config).filter(([field, value]) => !known.includes(field) && isSet(value))
  if (unknown !== undefined) throw new UnsupportedNetwork(`"${unknown[0]}" is not supported`)
}

/**
 * The router of a bridge that is a gateway is the first address, unless another is named. One that
 * the bridge does not have belongs to another machine, or a guest.
 */
function withRouter(
  pool: AddressPool,
  { isGateway, isDefault }: { readonly isGateway: boolean; readonly isDefault: boolean },
): AddressPool {
  if (!isGateway) return pool
  const gateway = pool.gateway ?? formatIpv4((parseIpv4(pool.subnet) ?? 0) + 1)
  const everywhere: Route[] = isDefault && !pool.routes.some(({ to }) => to === '0.0.0.0/0') ? [{ to: '0.0.0.0/0', via: gateway }] : []
  return { ...pool, gateway, reserved: [gateway], routes: [...pool.routes, ...everywhere] }
}
