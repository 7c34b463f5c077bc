import type { Cpu } from './domain.ts'

/** `-cpu` and `-smp`. */
export function cpuArguments(cpu: Cpu): string[] {
  const { sockets, cores, threads } = cpu
  const maxSockets = Math.max(cpu.maxSockets ?? sockets, sockets)
  const running = sockets * cores * threads
  const possible = maxSockets * cores * threads
  return [
    '-cpu',
    [cpu.model, ...cpu.flags].join(','),
    '-smp',
    `cpus=${running},maxcpus=${possible},sockets=${maxSockets},cores=${cores},threads=${threads}`,
  ]
}
