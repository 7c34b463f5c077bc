import { componentUser, nodeNameExtra } from '#api/access/component-users.ts'
import type { UserInfo } from '#apiserver/request/api-request.ts'

const agent = componentUser('virt-handler')
const kubelets = { group: 'system:nodes', prefix: 'system:node:' } as const

/** Returns the node of a kubelet. */
export function kubeletNode(user: UserInfo): string | undefined {
  const { group, prefix } = kubelets
  return user.username.startsWith(prefix) && user.groups.includes(group) ? user.username.slice(prefix.length) : undefined
}

/**
 * Returns the node of a kubelet or virt-handler; empty for a virt-handler whose node is unknown.
 */
export function nodeOfUser(user: UserInfo): string | undefined {
  if (user.username === agent) return user.extra?.[nodeNameExtra]?.[0] ?? ''
  return kubeletNode(user)
}
