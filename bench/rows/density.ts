import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { networked } from '../../test/support/guests/networked-guests.ts'
import { openStream } from '../../test/support/guests/guest-streams.ts'
import type { TestMachine } from '../../test/support/machine.ts'
import { buildArguments } from '#qemu/index.ts'
import { bareDomain } from '../bare-qemu.ts'
import { cpuTicksOf, memoryOf } from '../memory.ts'
import { mebibytes, percentile, time, type Row } from '../measure.ts'
import { tinyGuests, withTinyGuests } from '../tiny-guests.ts'
import { untilStarted } from './virtual-machines.ts'

const COUNT = tinyGuests
const IDLE_SECONDS = 20

/** Guests that were created at once: milliseconds until each runs, and what each costs. */
interface Density {
  readonly starts: readonly number[]
  /** Mean memory of a QEMU, in KiB. */
  readonly pss: number
  /** Mean share of a core that an idle QEMU uses. */
  readonly cpu: number
  /** Memory of all other processes, in KiB, and the share of a core that they use meanwhile. */
  readonly others: { readonly pss: number; readonly cpu: number }
}

/**
 * Many tiny guests created at once, with and without a card of the pod network, beside the same
 * QEMUs started by hand; and the memory of a console that is open to each.
 */
export async function densityRows(machine: TestMachine): Promise<Row[]> {
  const without = await measureGuests(machine, 'plain', (vm) => vm)
  const consoles = { perStream: 0 }
  const withNetwork = await measureGuests(machine, 'wired', networked, async (names) => {
    consoles.perStream = await memoryPerConsole(machine, names)
  })
  const bare = await measureBare(machine)
  const line = ({ starts, pss, cpu }: Density): string =>
    `start p50 ${time(percentile(starts, 0.5))}, p95 ${time(percentile(starts, 0.95))}; ${mebibytes(pss)}, ${(cpu * 100).toFixed(2)} % of a core each`
  const others = ({ others: { pss, cpu } }: Density): string => `; all components ${mebibytes(pss)}, ${(cpu * 100).toFixed(1)} % of a core`
  const ratios = (one: Density, other: Density): string => {
    const ratio = (read: (density: Density) => number): string => (read(one) / read(other)).toFixed(2)
    const start = (share: number): string => ratio(({ starts }) => percentile(starts, share))
    return `start p50 ${start(0.5)}x, p95 ${start(0.95)}x; memory ${ratio(({ pss }) => pss)}x, CPU ${ratio(({ cpu }) => cpu)}x`
  }
  return [
    {
      what: `${COUNT} tiny guests at once, with network`,
      measured: line(withNetwork) + others(withNetwork),
      budget: '',
      within: undefined,
      peer: `without network: ${ratios(withNetwork, without)}; bare QEMU: ${ratios(withNetwork, bare)}`,
    },
    {
      what: `${COUNT} tiny guests at once, without network`,
      measured: line(without) + others(without),
      budget: '',
      within: undefined,
      peer: `bare QEMU: ${line(bare)}: ${ratios(without, bare)}`,
    },
    {
      what: `memory of an open console, ${COUNT} open`,
      measured: mebibytes(consoles.perStream),
      budget: '< 2 MB',
      within: consoles.perStream * 1024 < 2e6,
      peer: '',
    },
  ]
}

function measureGuests(
  machine: TestMachine,
  prefix: string,
  edit: (vm: string) => string,
  meanwhile: (names: readonly string[]) => Promise<void> = async () => {},
): Promise<Density> {
  return withTinyGuests(
    machine,
    prefix,
    async ({ names, pids, starts }) => {
      const components = machine.processes().flatMap(({ pid }) => (pids.includes(pid) ? [] : [pid]))
      const cost = await costOf(pids, components)
      await meanwhile(names)
      return { starts, ...cost }
    },
    edit,
  )
}

async function costOf(pids: readonly number[], components: readonly number[] = []): Promise<Omit<Density, 'starts'>> {
  await sleep(10_000)
  const sum = (of: readonly number[], read: (pid: number) => number): number => of.reduce((total, pid) => total + read(pid), 0)
  const before = [pids, components].map((of) => sum(of, cpuTicksOf))
  await sleep(IDLE_SECONDS * 1000)
  const [cpu = 0, componentCpu = 0] = [pids, components].map(
    (of, index) => (sum(of, cpuTicksOf) - (before[index] ?? 0)) / 100 / IDLE_SECONDS,
  )
  const pss = (of: readonly number[]): number => sum(of, (pid) => memoryOf(pid).pss)
  return { pss: pss(pids) / pids.length, cpu: cpu / pids.length, others: { pss: pss(components), cpu: componentCpu } }
}

/** Memory of all processes, also of those of the guests. */
async function memoryPerConsole(machine: TestMachine, names: readonly string[]): Promise<number> {
  const used = (): number => machine.processes().reduce((sum, { pid }) => sum + memoryOf(pid).pss, 0)
  const before = used()
  const clients = names.map((name) => openStream(machine, `virtualmachineinstances/${name}/console`))
  await Promise.all(clients.map((client) => once(client, 'open')))
  await sleep(3_000)
  const after = used()
  for (const client of clients) client.terminate()
  return (after - before) / names.length
}

/** Starts as many QEMUs by hand, with the same guest. */
async function measureBare(machine: TestMachine): Promise<Density> {
  const folder = await mkdtemp(join(tmpdir(), 'bare-'))
  const children = await Promise.all(
    Array.from({ length: COUNT }, async (_, index) => {
      const own = join(folder, String(index))
      await mkdir(own)
      const path = join(own, 'boot.img')
      await copyFile(join(machine.home, 'images/tests/power-button/v1/disk/boot.img'), path)
      return { own, args: buildArguments({ ...bareDomain(own, 32), disks: [{ ...boot, path }] }) }
    }),
  )
  const running = children.map(({ own, args }) => {
    const started = performance.now()
    const child = spawn('qemu-system-x86_64', args, { stdio: 'ignore' })
    return { child, ready: untilStarted(join(own, 'm0')).then((ms) => ms - started) }
  })
  try {
    const starts = await Promise.all(running.map(({ ready }) => ready))
    return { starts, ...(await costOf(running.map(({ child }) => child.pid ?? 0))) }
  } finally {
    for (const { child } of running) child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

const boot = { name: 'boot', format: 'raw', readOnly: false, device: 'disk', bus: 'virtio' } as const
