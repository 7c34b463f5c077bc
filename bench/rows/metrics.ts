import { setTimeout as sleep } from 'node:timers/promises'
import { networked } from '../../test/support/guests/networked-guests.ts'
import type { TestMachine } from '../../test/support/machine.ts'
import { useScraper } from '../../test/support/observers/component-metrics.ts'
import { cpuTicksOf } from '../memory.ts'
import { percentile, time, type Row } from '../measure.ts'
import { tinyGuests, withTinyGuests } from '../tiny-guests.ts'

const SCRAPES = 20
const IDLE_SECONDS = 20
const TICKS_PER_SECOND = 100
/** Seconds between two scrapes: Prometheus' own default is 60, that of its operator 30. */
const intervals = [15, 30] as const

/** Processor time of scrapes of a node with many guests, beside the same node without scrapes. */
export async function metricsRows(machine: TestMachine): Promise<Row[]> {
  await using scraper = await useScraper(machine)
  return await withTinyGuests(
    machine,
    'scraped',
    async ({ pids }) => {
      const roles = ['virt-handler', 'virt-controller'] as const
      const processes = new Map<string, readonly number[]>([
        ...roles.map((role) => [role, machine.processes().flatMap((one) => (one.role === role ? [one.pid] : []))] as const),
        ['guests', pids],
      ])
      const usedBy = (name: string): number => (processes.get(name) ?? []).reduce((sum, pid) => sum + cpuTicksOf(pid), 0) / TICKS_PER_SECOND
      const snapshot = (): ReadonlyMap<string, number> => new Map([...processes.keys()].map((name) => [name, usedBy(name)]))
      // The first scrape has balloons ask, and finds threads.
      const samples = (await scraper.scrape('virt-handler')).length
      await scraper.scrape('virt-controller')
      await sleep(10_000)

      const idleFrom = snapshot()
      await sleep(IDLE_SECONDS * 1000)
      const idleTo = snapshot()
      const from = snapshot()
      const started = performance.now()
      const took: number[] = []
      for (let count = 0; count < SCRAPES; count++) {
        const asked = performance.now()
        await scraper.text('virt-handler')
        took.push(performance.now() - asked)
        await scraper.text('virt-controller')
        await sleep(250)
      }
      const to = snapshot()
      const seconds = (performance.now() - started) / 1000
      const idle = (name: string): number => ((idleTo.get(name) ?? 0) - (idleFrom.get(name) ?? 0)) / IDLE_SECONDS
      const perScrape = (name: string): number => Math.max(0, (to.get(name) ?? 0) - (from.get(name) ?? 0) - idle(name) * seconds) / SCRAPES
      const percent = (cost: number, every: number): string => `${((cost / every) * 100).toFixed(2)} %`
      const line = (cost: number): string =>
        `${(cost * 1000).toFixed(0)} ms of a processor per scrape: ${intervals.map((every) => `${percent(cost, every)} of a core every ${every} s`).join(', ')}`
      const components = roles.reduce((sum, role) => sum + perScrape(role), 0)
      const whole = components + perScrape('guests')
      return [
        {
          what: `metrics of ${tinyGuests} guests: components and guests`,
          measured: line(whole),
          budget: '< 1 % of a core every 30 s',
          within: tinyGuests < 100 ? undefined : whole / 30 < 0.01,
          peer: `${samples} samples of virt-handler, answered in ${time(percentile(took, 0.5))} (p50)`,
        },
        ...[...processes.keys()].map((name) => ({
          what: `  ${name}`,
          measured: line(perScrape(name)),
          budget: '',
          within: undefined,
          peer: `without scrapes ${percent(idle(name), 1)} of a core`,
        })),
      ]
    },
    networked,
  )
}
