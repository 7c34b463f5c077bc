import type { PodSecurityCheck } from '../check.ts'

/** No network, PID or IPC namespace of the node. */
export const hostNamespaces: PodSecurityCheck = {
  id: 'hostNamespaces',
  since: 0,
  run({ spec }) {
    const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true)
    return used.length === 0 ? undefined : { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') }
  },
}
