import type { PodSecurityCheck } from '../check.ts'

/** Namespaced kernel settings that are safe, by the minor version that has allowed them. */
const allowedSince: ReadonlyMap<string, number> = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
])

/** Only safe kernel settings. */
export const sysctls: PodSecurityCheck = {
  id: 'sysctls',
  since: 0,
  run({ spec }, minor) {
    const bad = (spec.securityContext?.sysctls ?? []).flatMap(({ name }) => {
      const since = allowedSince.get(name)
      return since === undefined || since > minor ? [name] : []
    })
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') }
  },
}
