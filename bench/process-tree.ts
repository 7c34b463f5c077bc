import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { memoryOf, type ProcessMemory } from './memory.ts'

/** How a process ended, and the most memory, in KiB, that it had together with its children. */
export interface MeasuredRun {
  readonly ms: number
  readonly peak: ProcessMemory
}

/** Reading takes milliseconds, in which the process cannot get memory. */
const sampleMs = 250

/** Runs a program to its end. @throws Error with what it wrote if it fails */
export async function runMeasured(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv = process.env): Promise<MeasuredRun> {
  const [program, ...args] = command
  const started = performance.now()
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  let peak: ProcessMemory = { rss: 0, pss: 0 }
  const timer = setInterval(() => {
    const all = treeOf(child.pid ?? 0).map(memoryOf)
    const sum = (read: (one: ProcessMemory) => number): number => all.reduce((total, one) => total + read(one), 0)
    peak = {
      rss: Math.max(
        peak.rss,
        sum(({ rss }) => rss),
      ),
      pss: Math.max(
        peak.pss,
        sum(({ pss }) => pss),
      ),
    }
  }, sampleMs)
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`"${command.join(' ')}" ended with ${code}: ${output.slice(-1000)}`)
    return { ms: performance.now() - started, peak }
  } finally {
    clearInterval(timer)
  }
}

/** Runs a script with `$1`, `$2`, … */
export function shell(script: string, ...args: readonly string[]): Promise<MeasuredRun> {
  return runMeasured(['sh', '-c', script, 'sh', ...args])
}

/** Milliseconds of a program that writes a file, and those until the storage has that. */
export interface WriteTimes {
  readonly writtenMs: number
  readonly syncedMs: number
}

/** Runs a script that writes the file `path`, and makes that lasting. */
export async function timeWrite(path: string, script: string, ...args: readonly string[]): Promise<WriteTimes> {
  const { ms: writtenMs } = await shell(script, ...args)
  const { ms } = await shell('sync "$1"', path)
  return { writtenMs, syncedMs: writtenMs + ms }
}

/** A process and all that it has started. */
export function treeOf(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number),
    )
    return [pid, ...children.flatMap(treeOf)]
  } catch {
    // It has ended meanwhile.
    return []
  }
}
