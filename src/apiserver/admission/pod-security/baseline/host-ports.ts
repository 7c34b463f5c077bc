import { containersOf, describeContainers, type PodSecurityCheck, plural } from '../check.ts'

/** No ports of the node. */
export const hostPorts: PodSecurityCheck = {
  id: 'hostPorts',
  since: 0,
  run({ spec }) {
    const bad = containersOf(spec).flatMap(({ name, ports = [] }) => {
      const used = ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]))
      return used.length === 0 ? [] : [{ name, used }]
    })
    if (bad.length === 0) return undefined
    const numbers = [...new Set(bad.flatMap(({ used }) => used))].toSorted()
    const containers = describeContainers(bad.map(({ name }) => name))
    const uses = bad.length === 1 ? 'uses' : 'use'
    return { reason: 'hostPort', detail: `${containers} ${uses} ${plural('hostPort', numbers.length)} ${numbers.join(', ')}` }
  },
}
