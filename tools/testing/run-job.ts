import { spawn } from 'node:child_process'
import { chmodSync, createWriteStream, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLine } from './event-reporter.ts'
import { type Job, type Tier, root } from './jobs.ts'

/** Outcome of a job. */
export interface JobResult {
  readonly job: Job
  readonly ok: boolean
  readonly seconds: number
  /** Output to show after a failure. */
  readonly complaint: string
  /** Path of the whole output. */
  readonly log: string
  readonly secondsByFile: ReadonlyMap<string, number>
  readonly passed: number
  readonly failed: number
  /** Reasons of tests and suites that were skipped. */
  readonly skipped: readonly string[]
}

const bin = join(root, 'node_modules', '.bin')

/**
 * Runs a job to its end in a temporary folder of its own (`TMPDIR`). A job that hangs is killed. Of
 * what it leaves behind, processes are killed and files are removed.
 */
export async function runJob(job: Job, options: { readonly tier: Tier; readonly logs: string }): Promise<JobResult> {
  // Short: the path of a Unix socket has 107 bytes at most.
  const temporary = mkdtempSync(join(tmpdir(), 't'))
  // Tests become users without rights, who have folders of their own in it.
  chmodSync(temporary, 0o711)
  const events = join(temporary, 'events')
  const log = join(options.logs, `${job.name.replaceAll(/[^\w.-]+/g, '-')}.log`)
  const [program = '', ...args] = job.command
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(import.meta.dirname, 'event-reporter.ts')}`,
    `--test-reporter-destination=${events}`,
  ]
  const started = Date.now()
  const output = createWriteStream(log)
  // `node --test` ignores files when it believes to run within a test.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const child = spawn(join(bin, program), job.files.length === 0 ? args : [...reporters, ...args], {
    cwd: root,
    env: {
      ...environment,
      PATH: `${bin}:${process.env['PATH']}`,
      TMPDIR: temporary,
      // Half of a short test's processor time is the loading of TypeScript modules.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
      STEADYVM_EFFORT: options.tier === 'long' ? 'long' : 'default',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.set(child.pid ?? 0, temporary)
  child.stdout.pipe(output, { end: false })
  child.stderr.pipe(output, { end: false })
  let hangs = false
  const limit = setTimeout(() => {
    hangs = true
    killGroup(child.pid)
  }, job.limitMinutes * 60_000)
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const code = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (status, signal) => resolve(status ?? signal ?? 1))
  })
  clearTimeout(limit)
  running.delete(child.pid ?? 0)
  killLeftovers(temporary)
  // A process that was left running, and not found, may hold the pipes open for ever.
  await Promise.race([closed, sleep(10_000, undefined, { ref: false })])
  await new Promise((resolve) => output.end(resolve))
  const lines = readEvents(events)
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  const seconds = (Date.now() - started) / 1000
  const ok = code === 0
  const complaint = ok ? '' : describe({ job, code, hangs, lines, log })
  return { job, ok, seconds, complaint, log, ...summarize(job, lines, seconds) }
}

/** Temporary folders of running jobs, by the PID of their process. */
const running = new Map<number, string>()

/** Kills the jobs that run and what they have started; for the end of the runner itself. */
export function killRunning(): void {
  for (const [pid, temporary] of running) {
    killGroup(pid)
    killLeftovers(temporary)
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * Kills processes whose environment names the job's folder: clusters, and guests of theirs. A
 * kubelet and its supervisor start each other again, so they are killed until none is left.
 */
function killLeftovers(temporary: string): void {
  for (let count = 0; count < 20 && killProcessesOf(temporary) > 0; count++);
}

/** Returns the number of processes that it killed. */
function killProcessesOf(temporary: string): number {
  let killed = 0
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(temporary)) continue
      process.kill(pid, 'SIGKILL')
      killed += 1
    } catch {
      // It has ended meanwhile, or belongs to another user.
    }
  }
  return killed
}

function readEvents(path: string): EventLine[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as EventLine)
}

function summarize(
  job: Job,
  lines: readonly EventLine[],
  seconds: number,
): Pick<JobResult, 'secondsByFile' | 'passed' | 'failed' | 'skipped'> {
  const ends = lines.filter((line) => line.type === 'end')
  const tests = ends.filter(({ isSuite, skipped }) => !isSuite && skipped === undefined)
  const sums = new Map<string, number>()
  if (job.files.length === 1) sums.set(job.files[0] ?? '', seconds)
  else
    for (const end of ends.filter(({ nesting }) => nesting === 0)) {
      const file = relative(root, end.file)
      sums.set(file, (sums.get(file) ?? 0) + end.seconds)
    }
  return {
    secondsByFile: sums,
    passed: tests.filter(({ ok }) => ok).length,
    failed: tests.filter(({ ok }) => !ok).length,
    skipped: ends.flatMap(({ skipped }) => (skipped === undefined ? [] : [skipped])),
  }
}

interface Ended {
  readonly job: Job
  readonly code: number | string
  readonly hangs: boolean
  readonly lines: readonly EventLine[]
  readonly log: string
}

/** The log has the rest. */
const mostLines = 200

/** Failures as node's reporter words them; of a hang, also which test was running. */
function describe({ job, code, hangs, lines, log }: Ended): string {
  const text = readFileSync(log, 'utf8')
  const failures = text.lastIndexOf('✖ failing tests:')
  const shown = failures === -1 ? text.split('\n').slice(-80).join('\n') : text.slice(failures)
  const last = unfinished(lines).at(-1)
  const where = last === undefined ? '' : `: "${last.name}" in ${relative(root, last.file)} had begun and not ended`
  const head = hangs ? `was killed after ${job.limitMinutes} minutes` : typeof code === 'number' ? '' : `was ended by ${code}`
  const all = shown.trim().split('\n')
  const rest = all.length - mostLines
  const cut = rest > 0 ? [...all.slice(0, mostLines), `… ${rest} more lines`] : all
  return [head === '' ? '' : `${job.name} ${head}${where}\n`, ...outsideTests(text), ...cut].join('\n').trim()
}

/** Errors after the end of a test: node's reporter counts no failure for them, but exits with 1. */
function outsideTests(text: string): string[] {
  return [...new Set(text.split('\n').filter((line) => line.startsWith('ℹ Error: ')))]
}

function unfinished(lines: readonly EventLine[]): EventLine[] {
  const ended = new Set(lines.filter(({ type }) => type === 'end').map(({ file, name }) => `${file} ${name}`))
  return lines.filter(({ type, file, name }) => type === 'start' && !ended.has(`${file} ${name}`))
}
