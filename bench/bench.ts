import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { chooseAccelerator, inspectHost } from '#qemu/index.ts'
import { startMachine } from '../test/support/machine.ts'
import type { Row } from './measure.ts'
import { densityRows } from './rows/density.ts'
import { diskCopyRows } from './rows/disk-copies.ts'
import { dryRunRows } from './rows/dry-run.ts'
import { idleRows } from './rows/idle.ts'
import { imageRows } from './rows/images.ts'
import { kubernetesRows } from './rows/kubernetes.ts'
import { liveMigrationRows } from './rows/live-migration.ts'
import { metricsRows } from './rows/metrics.ts'
import { migrationRows } from './rows/migration.ts'
import { planRows } from './rows/plan.ts'
import { restartRows } from './rows/restart.ts'
import { revisionReportRows } from './rows/revision-report.ts'
import { revisionRows } from './rows/revisions.ts'
import { sharingRows } from './rows/sharing.ts'
import { simulationRows } from './rows/simulation.ts'
import { startUpRows } from './rows/start-up.ts'
import { streamRows } from './rows/streams.ts'
import { tracingRows } from './rows/tracing.ts'
import { virtualMachineRows } from './rows/virtual-machines.ts'
import { watchRows } from './rows/watches.ts'
import { writeRows } from './rows/writes.ts'

// The rows of the budget table that exist so far, measured on this machine next to peers where they
// can run. Quote ratios, not times.
const wanted = process.argv.slice(2)
const wants = (name: string): boolean => wanted.length === 0 || wanted.includes(name)
const rows: Row[] = []

process.stdout.write(`${machineFacts()}\n\n`)
if (wants('start-up')) show(await startUpRows())
if (wants('migration')) show(await migrationRows())
if (wants('live-migration')) show(await liveMigrationRows())
if (['idle', 'virtual-machines', 'writes', 'watches'].some(wants)) {
  await using machine = await startMachine()
  if (wants('idle')) show(await idleRows(machine))
  if (wants('virtual-machines')) show(await virtualMachineRows(machine))
  if (wants('watches')) show(await watchRows(machine))
  if (wants('writes')) show(await writeRows(machine))
}
if (['streams', 'density', 'metrics'].some(wants)) {
  await using machine = await startMachine()
  if (wants('streams')) show(await streamRows(machine))
  if (wants('density')) show(await densityRows(machine))
  if (wants('metrics')) show(await metricsRows(machine))
}
if (wants('restart')) {
  // With its own objects only: what the other rows have stored would be loaded, too.
  await using machine = await startMachine()
  show(await restartRows(machine))
}
if (wants('plan')) {
  await using machine = await startMachine()
  show(await planRows(machine))
}
if (wants('revisions')) {
  await using machine = await startMachine()
  show(await revisionRows(machine))
  show(await revisionReportRows(machine))
}
if (wants('tracing')) show(await tracingRows())
if (wants('sharing')) show(await sharingRows())
if (wants('images')) show(await imageRows())
if (wants('disk-copies')) {
  await using machine = await startMachine()
  show(await diskCopyRows(machine))
}
if (wants('dry-run')) show(await dryRunRows())
if (wants('simulation')) show(await simulationRows())
// Takes a quarter of an hour, and programs that only `npm run test:kubernetes` builds.
if (wanted.includes('kubernetes')) show(await kubernetesRows())
const missed = rows.filter(({ within }) => within === false)
process.stdout.write(
  `\n${rows.filter(({ within }) => within === true).length} within their budget, ${missed.length} not${missed.length === 0 ? '' : `: ${missed.map(({ what }) => what.trim()).join('; ')}`}\n`,
)

function show(more: readonly Row[]): void {
  rows.push(...more)
  for (const { what, measured, budget, within, peer } of more) {
    const verdict = budget === '' ? '' : `   budget ${budget}${within === undefined ? '' : within ? ': kept' : ': MISSED'}`
    process.stdout.write(`${what}\n    ${measured}${verdict}${peer === '' ? '' : `\n    peer: ${peer}`}\n`)
  }
}

function machineFacts(): string {
  const load = readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ')
  const memory = `${(totalmem() / 2 ** 30).toFixed(1)} GiB`
  return [
    `${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} CPUs, ${memory}, Linux ${release()}, Node ${process.version}, load ${load}`,
    chooseAccelerator(inspectHost(), process.env['STEADYVM_ACCELERATOR']).reason,
  ].join('\n')
}
