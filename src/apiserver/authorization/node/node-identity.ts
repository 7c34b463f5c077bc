import type { UserInfo } from '#apiserver/request/api-request.ts'

const kubelets = { group: 'system:nodes', prefix: 'system:node:' } as const
const agents = { group: 'system:steadyvm:virt-handlers', prefix: 'system:steadyvm:virt-handler:' } as const

function nameBehind(user: UserInfo, { group, prefix }: typeof kubelets | typeof agents): string | undefined {
  return user.username.startsWith(prefix) && user.groups.includes(group) ? user.username.slice(prefix.length) : undefined
}

/** Returns the node of a kubelet. */
export function kubeletNode(user: UserInfo): string | undefined {
  return nameBehind(user, kubelets)
}

/** Returns the node of a kubelet or virt-handler. */
export function nodeOfUser(user: UserInfo): string | undefined {
  return kubeletNode(user) ?? nameBehind(user, agents)
}
