/** Streams of a guest that the node agent serves, named as the subresources. */
export type GuestStream = 'console' | 'vnc' | 'usbredir' | 'portforward'
/** Requests about a guest that the node agent answers at once. */
export type GuestQuery = 'usage' | 'vnc/screenshot' | 'reset' | 'softreboot' | 'freeze' | 'unfreeze' | AgentQuery
/** Those that the agent in the guest answers. */
export type AgentQuery = 'guestosinfo' | 'userlist' | 'filesystemlist'

const served: readonly (GuestStream | GuestQuery)[] = [
  'console',
  'vnc',
  'usbredir',
  'portforward',
  'usage',
  'vnc/screenshot',
  'reset',
  'softreboot',
  'freeze',
  'unfreeze',
  'guestosinfo',
  'userlist',
  'filesystemlist',
]

/** Query parameter of `freeze`: milliseconds until file systems are thawed; 0: never. */
export const freezeLimitParameter = 'limitMs'

/** Port on which the node agent serves streams of its guests. KubeVirt's default. */
export const agentPort = 8186

/** Common name of virt-api's client certificate, as in KubeVirt. */
export const apiClientName = 'kubevirt.io:system:client:virt-handler'

/**
 * Name in the certificate of all node agents, to virt-api and to each other as migration targets:
 * each is trusted with every guest. Pure.
 */
export function agentServerName(namespace: string): string {
  return `virt-handler.${namespace}`
}

/** What is requested of one guest. */
export interface GuestAccess {
  readonly namespace: string
  readonly name: string
  readonly subresource: GuestStream | GuestQuery
}

/** Returns the path on the node agent. Pure. */
export function accessPath({ namespace, name, subresource }: GuestAccess): string {
  const [space, guest] = [namespace, name].map(encodeURIComponent)
  return `/v1/namespaces/${space}/virtualmachineinstances/${guest}/${subresource}`
}

/** Reads a path of {@link accessPath}; undefined for any other. Pure. */
export function parseAccessPath(path: string): GuestAccess | undefined {
  const found = /^\/v1\/namespaces\/([^/]+)\/virtualmachineinstances\/([^/]+)\/([a-z/]+)$/.exec(path)
  const subresource = served.find((known) => known === found?.[3])
  if (found === null || subresource === undefined) return undefined
  try {
    const [namespace = '', name = ''] = found.slice(1, 3).map(decodeURIComponent)
    return { namespace, name, subresource }
  } catch {
    return undefined
  }
}

/** Subprotocol of KubeVirt's streams: binary messages whose boundaries mean nothing. */
export const plainProtocol = 'plain.kubevirt.io'
