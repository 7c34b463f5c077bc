// Runs everything: static checks, unit tests in one process, then the suites that start processes.
// One summary for all at the end.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
const stages = [
  { name: 'format', command: ['oxfmt', '--check', 'src', 'tools', 'test', 'bench'] },
  {
    name: 'lint',
    command: ['oxlint', '--type-aware', '--report-unused-disable-directives', '--deny-warnings', 'src', 'tools', 'test', 'bench'],
  },
  { name: 'typecheck', command: ['tsc', '-b'] },
  { name: 'unused code', command: ['knip'] },
  { name: 'generated files are fresh', command: ['node', 'tools/generate/generate.ts', '--check'] },
  { name: 'unit tests', command: ['node', '--test', '--test-isolation=none', '--test-timeout=120000', '{src,tools}/**/*.test.ts'] },
  {
    name: 'end-to-end tests',
    command: ['node', '--test', '--test-concurrency=1', '--test-timeout=900000', 'test/**/*.test.ts'],
    minutes: 90,
  },
]
const only = process.argv.slice(2)
const results = []
for (const stage of stages) {
  if (only.length > 0 && !only.some((word) => stage.name.includes(word))) continue
  process.stdout.write(`\n== ${stage.name}\n`)
  const started = Date.now()
  const [command, ...args] = stage.command
  // A hang is a failure, not a wait.
  const timeout = (stage.minutes ?? 12) * 60_000
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: environment,
    timeout,
    killSignal: 'SIGKILL',
  })
  results.push({ ...stage, ok: status === 0, seconds: ((Date.now() - started) / 1000).toFixed(1) })
}
process.stdout.write('\n')
for (const { name, ok, seconds } of results) process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
const failed = results.filter(({ ok }) => !ok).length
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
