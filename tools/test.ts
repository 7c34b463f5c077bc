// Runs static checks, unit tests and end-to-end tests side by side, and prints one summary.
//   node tools/test.ts [--quick | --long] [--shard I/N] [--record] [STAGE | PART-OF-A-PATH]…
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { killRunning, runJob, type JobResult } from './testing/run-job.ts'
import { planJobs, readDurations, root, stages } from './testing/jobs.ts'
import { runInLanes } from './testing/run-in-lanes.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, long: { type: 'boolean' }, shard: { type: 'string' }, record: { type: 'boolean' } },
})
const tier = values.quick === true ? 'quick' : values.long === true ? 'long' : 'default'
const shard = /^([1-9]\d*)\/([1-9]\d*)$/.exec(values.shard ?? '1/1')
if (shard === null || Number(shard[1]) > Number(shard[2])) {
  process.stderr.write(`--shard ${values.shard}: write --shard I/N with I from 1 to N\n`)
  process.exit(2)
}
// More than processors: a test that waits for a guest, a lease or a timer leaves its own idle.
const lanes = Math.min(4, availableParallelism() + 2)
const jobs = planJobs({
  tier,
  words: positionals,
  shard: { number: Number(shard[1]), of: Number(shard[2]) },
  unitProcesses: lanes,
})
if (jobs.length === 0) {
  process.stderr.write(`nothing to run: neither a stage (${stages.join(', ')}) nor a test file is named ${positionals.join(' or ')}\n`)
  process.exit(2)
}
const logs = join(root, 'node_modules', '.cache', 'test-logs')
rmSync(logs, { recursive: true, force: true })
mkdirSync(logs, { recursive: true })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    killRunning()
    process.exit(1)
  })

const started = Date.now()
const results: JobResult[] = []
process.stdout.write(`${jobs.length} jobs, ${lanes} at a time\n`)
await runInLanes(jobs, lanes, async (job) => {
  const result = await runJob(job, { tier, logs })
  results.push(result)
  const tests = job.files.length === 0 ? '' : `, ${result.passed + result.failed} tests`
  process.stdout.write(`${result.ok ? 'ok    ' : 'FAILED'} ${job.name} (${result.seconds.toFixed(1)} s${tests})\n`)
  if (!result.ok) process.stdout.write(`\n${result.complaint}\n\nEverything that it printed: ${result.log}\n\n`)
})

const seconds = new Map(results.flatMap(({ secondsByFile }) => [...secondsByFile]).toSorted((a, b) => b[1] - a[1]))
process.stdout.write('\nSeconds per end-to-end file:\n')
for (const [file, spent] of seconds) if (file.startsWith('test/')) process.stdout.write(`${spent.toFixed(1).padStart(7)}  ${file}\n`)
process.stdout.write('\nSlowest files:\n')
for (const [file, spent] of [...seconds].slice(0, 10)) process.stdout.write(`${spent.toFixed(1).padStart(7)}  ${file}\n`)
process.stdout.write('\n')
for (const stage of stages) {
  const own = results.filter(({ job }) => job.stage === stage)
  if (own.length === 0) continue
  const sum = own.reduce((total, result) => total + result.seconds, 0)
  const failed = own.filter(({ ok }) => !ok)
  process.stdout.write(`${failed.length === 0 ? 'ok    ' : 'FAILED'} ${stage} (${sum.toFixed(0)} s in all lanes)\n`)
  for (const { job } of failed) process.stdout.write(`       ${job.name}\n`)
}
const count = (pick: (result: JobResult) => number): number => results.reduce((total, result) => total + pick(result), 0)
const minutes = (Date.now() - started) / 60_000
const failures = results.filter(({ ok }) => !ok).length
process.stdout.write(
  `${count(({ passed }) => passed)} tests passed, ${count(({ failed }) => failed)} failed; ${minutes.toFixed(1)} minutes\n`,
)
const budgetMinutes = 14
if (tier === 'default' && positionals.length === 0 && minutes > budgetMinutes)
  process.stdout.write(`warning: this took longer than ${budgetMinutes} minutes; see "Test tiers" in CONTRIBUTING.md\n`)
if (values.record === true) record(seconds)
const skipped = Map.groupBy(
  results.flatMap((result) => result.skipped),
  (reason) => reason,
)
const reasons = [...skipped].map(([reason, all]) => `${all.length} (${reason === '' ? 'no reason given' : reason})`)
if (reasons.length > 0) process.stdout.write(`skipped tests and suites: ${reasons.join(', ')}\n`)
process.exit(failures === 0 ? 0 : 1)

/** Keeps the seconds of files: the plan of the next run, and what the budget is checked with. */
function record(measured: ReadonlyMap<string, number>): void {
  const merged = { ...readDurations(), ...Object.fromEntries([...measured].map(([file, spent]) => [file, Math.round(spent * 10) / 10])) }
  const kept = Object.entries(merged).filter(([, spent]) => spent >= 1)
  const text = JSON.stringify(Object.fromEntries(kept.toSorted(([a], [b]) => a.localeCompare(b))), undefined, 2)
  writeFileSync(join(root, 'tools', 'testing', 'durations.json'), `${text}\n`)
}
