import { setTimeout as sleep } from 'node:timers/promises'
import type { TestMachine } from '../../test/support/machine.ts'
import { cpuTicksOf, memoryOf } from '../memory.ts'
import { mebibytes, type Row } from '../measure.ts'

const WATCHED_SECONDS = 20
const TICKS_PER_SECOND = 100

/** Memory and CPU of the control plane that has nothing to do. */
export async function idleRows(machine: TestMachine): Promise<Row[]> {
  await sleep(5_000)
  const processes = machine.processes().filter(({ role }) => role !== 'compute')
  const before = new Map(processes.map(({ pid }) => [pid, cpuTicksOf(pid)]))
  await sleep(WATCHED_SECONDS * 1000)
  const rows = processes.map(({ pid, role, node }) => {
    const memory = memoryOf(pid)
    const cpu = (cpuTicksOf(pid) - (before.get(pid) ?? 0)) / TICKS_PER_SECOND / WATCHED_SECONDS
    return { role, node, memory, cpu }
  })
  const pss = rows.reduce((sum, { memory }) => sum + memory.pss, 0)
  const cpu = rows.reduce((sum, row) => sum + row.cpu, 0)
  const percent = (share: number): string => `${(share * 100).toFixed(2)} %`
  return [
    {
      what: 'idle control plane, PSS',
      measured: mebibytes(pss),
      budget: '≤ 350 MB',
      within: pss * 1024 <= 350e6,
      peer: 'k3s 1.6 GB + KubeVirt 2.4 GB (not run here)',
    },
    {
      what: 'idle control plane, CPU of one core',
      measured: percent(cpu),
      budget: '< 1 %',
      within: cpu < 0.01,
      peer: 'k3s 6 % (not run here)',
    },
    ...rows.map(({ role, node, memory, cpu: share }) => ({
      what: `  ${role} on ${node}`,
      measured: `RSS ${mebibytes(memory.rss)}, PSS ${mebibytes(memory.pss)}, CPU ${percent(share)}`,
      budget: '',
      within: undefined,
      peer: '',
    })),
  ]
}
