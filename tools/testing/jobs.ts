import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exclusiveFiles } from './exclusive-files.ts'

export const root: string = join(import.meta.dirname, '..', '..')

/** Amount of tests: `quick` is the gate of `npm run ok`, `default` is CI, `long` is everything. */
export type Tier = 'quick' | 'default' | 'long'

/** Stages in the order in which their jobs start. */
export const stages = ['static checks', 'unit tests', 'end-to-end tests'] as const

/** One process that the runner starts. */
export interface Job {
  readonly stage: (typeof stages)[number]
  readonly name: string
  readonly command: readonly string[]
  /** Test files that the process runs; empty for a static check. */
  readonly files: readonly string[]
  /** Recorded duration. */
  readonly expectedSeconds: number
  /** After these it hangs, and is killed. */
  readonly limitMinutes: number
  /** Reason why nothing else may run at the same time. */
  readonly exclusive?: string
}

/** Tests that the command line selects. */
export interface Selection {
  readonly tier: Tier
  /** Names of stages or parts of paths of test files; all when empty. */
  readonly words: readonly string[]
  /** From 1 to `of`. */
  readonly shard: { readonly number: number; readonly of: number }
  /** Number of processes for unit tests. */
  readonly unitProcesses: number
}

/** Recorded seconds of a test file, by its path. A new file counts as 10 s. */
export type Durations = Readonly<Record<string, number>>
const unknownSeconds = { unit: 0.1, endToEnd: 10 }

export function readDurations(): Durations {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'durations.json'), 'utf8')) as Durations
}

/** A file of unit tests that takes longer, by its recorded duration, is not in the quick tier. */
const mostQuickSeconds = 1.5

/** Test files of a tier, by stage. `x.long.test.ts` belongs to the long tier only. */
export function testFiles(
  tier: Tier,
  durations: Durations = readDurations(),
): { readonly unit: readonly string[]; readonly endToEnd: readonly string[] } {
  const find = (pattern: string): string[] =>
    globSync(pattern, { cwd: root })
      .filter((file) => tier === 'long' || !file.endsWith('.long.test.ts'))
      .toSorted()
  const unit = find('{src,tools}/**/*.test.ts')
  if (tier === 'quick') return { unit: unit.filter((file) => (durations[file] ?? 0) < mostQuickSeconds), endToEnd: [] }
  return { unit, endToEnd: find('test/**/*.test.ts') }
}

/** Number of clusters for the files in `test/one-machine`, each in one process. */
const sharedClusters = 2

const folders = ['src', 'tools', 'test', 'bench']
const staticChecks = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--report-unused-disable-directives', '--deny-warnings', ...folders] },
  { name: 'typecheck', command: ['tsc', '-b'] },
  { name: 'unused code', command: ['knip'] },
  { name: 'generated files are fresh', command: ['node', 'tools/generate/generate.ts', '--check'] },
  { name: 'format', command: ['oxfmt', '--check', ...folders] },
]

/** Lists the jobs of a run in the order in which they start. */
export function planJobs({ tier, words, shard, unitProcesses }: Selection, durations: Durations = readDurations()): Job[] {
  const isSelected = (stage: string, name: string): boolean =>
    words.length === 0 || words.some((word) => stage.startsWith(word) || name.includes(word))
  const { unit, endToEnd } = testFiles(tier, durations)
  const checks: Job[] = staticChecks
    .filter(({ name }) => isSelected('static checks', name))
    .map((check) => ({ ...check, stage: 'static checks', files: [], expectedSeconds: 10, limitMinutes: 10 }))
  const units = divide(
    unit.filter((file) => isSelected('unit tests', file)),
    unitProcesses * shard.of,
    (file) => durations[file] ?? unknownSeconds.unit,
  ).map(({ items, sum }, index): Job => {
    const name = items.length === 1 ? (items[0] ?? '') : `unit tests, part ${index + 1}`
    return { stage: 'unit tests', name, command: testCommand(items, 2), files: items, expectedSeconds: sum, limitMinutes: 15 }
  })
  const selected = endToEnd.filter((file) => isSelected('end-to-end tests', file))
  const [together, alone] = [selected.filter(sharesMachine), selected.filter((file) => !sharesMachine(file))]
  const scenario = { stage: 'end-to-end tests' } as const
  const weigh = (file: string): number => durations[file] ?? unknownSeconds.endToEnd
  const sharing = divide(together, sharedClusters, weigh).map(({ items, sum }, index): Job => {
    const name = `test/one-machine, part ${index + 1}`
    const limitMinutes = tier === 'long' ? 60 : 25
    return { ...scenario, name, command: testCommand(items, 15), files: items, expectedSeconds: sum, limitMinutes }
  })
  const scenarios = alone
    .map((name): Job => {
      const exclusive = tier === 'long' ? exclusiveFiles[name] : undefined
      const limitMinutes = tier === 'long' ? 60 : 15
      const job: Job = { ...scenario, name, command: testCommand([name], 15), files: [name], expectedSeconds: weigh(name), limitMinutes }
      return exclusive === undefined ? job : { ...job, exclusive }
    })
    .concat(sharing)
    .toSorted((a, b) => b.expectedSeconds - a.expectedSeconds || a.name.localeCompare(b.name))
  const tests = [
    ...units,
    ...scenarios.filter(({ exclusive }) => exclusive === undefined),
    ...scenarios.filter(({ exclusive }) => exclusive),
  ]
  const mine = divide(tests, shard.of, ({ expectedSeconds }) => expectedSeconds)[shard.number - 1]
  return [...(shard.number === 1 ? checks : []), ...(shard.of === 1 ? tests : (mine?.items ?? []))]
}

/** Reports whether a file runs in one process with others that use the same cluster. */
function sharesMachine(file: string): boolean {
  return file.startsWith('test/one-machine/')
}

function testCommand(files: readonly string[], minutes: number): string[] {
  return ['node', '--test', '--test-isolation=none', `--test-timeout=${minutes * 60_000}`, ...files]
}

/**
 * Divides items into parts of about the same weight, the heaviest first. Leaves out empty parts.
 */
export function divide<T>(items: readonly T[], count: number, weigh: (item: T) => number): { items: T[]; sum: number }[] {
  const parts = Array.from({ length: count }, () => ({ items: [] as T[], sum: 0 }))
  for (const item of items.toSorted((a, b) => weigh(b) - weigh(a))) {
    const lightest = parts.reduce((least, part) => (part.sum < least.sum ? part : least))
    lightest.items.push(item)
    lightest.sum += weigh(item)
  }
  return parts.filter((part) => part.items.length > 0)
}
