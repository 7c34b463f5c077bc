// Runs specs of Kubernetes' end-to-end tests against a new machine; see ../README.md.
//   run.ts [--skip REGEX] [--minutes N] [--work DIR] [REGEX]
import { spawnSync } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startMachine } from '../../support/machine.ts'
import { foldersOf } from '../settings.ts'
import { registerImages } from './images.ts'
import { giveOwnAddresses } from './own-addresses.ts'
import { onOwnMachine } from './own-machine.ts'
import { runSpecs } from './run-specs.ts'

const text = { type: 'string' } as const
const { values, positionals } = parseArgs({
  options: { skip: text, minutes: text, programs: text, work: text, dry: { type: 'boolean' }, inside: { type: 'boolean' } },
  allowPositionals: true,
})
const [focus = '\\[Conformance\\]'] = positionals
const { programs } = foldersOf(values)
const print = (line: string): void => void process.stdout.write(`${line}\n`)

if (values.inside === true) await run()
else {
  const [program = '', ...args] = onOwnMachine(programs, [process.execPath, import.meta.filename, '--inside', ...process.argv.slice(2)])
  process.exitCode = spawnSync(program, args, { stdio: 'inherit' }).status ?? 1
}

async function run(): Promise<void> {
  const work = values.work ?? (await mkdtemp(join(tmpdir(), 'conformance-')))
  await using machine = await startMachine({ nodes: 2 })
  // The components of KubeVirt have ports that programs of the tests listen on.
  await machine.kubectl(['delete', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--timeout=180s'])
  await registerImages(machine.home, programs)
  using _webhook = await giveOwnAddresses(machine)
  print(`machine in ${machine.home}, log in ${join(work, 'e2e.log')}`)
  const results = await runSpecs({
    kubeconfig: join(machine.home, 'kubeconfig'),
    programs,
    work,
    focus,
    ...(values.skip === undefined ? {} : { skip: values.skip }),
    minutes: Number(values.minutes ?? 60),
    dry: values.dry === true,
  })
  await writeFile(join(work, 'results.json'), JSON.stringify(results))
  for (const { name, state, message, seconds } of results) {
    print(`${state} ${seconds.toFixed(0)} s ${name}`)
    if (state !== 'passed') print(`    ${message.slice(0, 600).replaceAll('\n', '\n    ')}`)
  }
  const count = (state: string): number => results.filter((result) => result.state === state).length
  print(`${results.length} specs: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`)
}
