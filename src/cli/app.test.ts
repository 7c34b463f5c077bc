import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { run, type RouteMap } from '@stricli/core'
import { createApplication } from './app.ts'
import { testContext } from './cli-context.fixture.ts'
import type { CliContext } from './context.ts'

const home = mkdtempSync(join(tmpdir(), 'steadyvm-cli-'))
const kubeconfig = join(home, 'unreachable.yaml')
writeFileSync(
  kubeconfig,
  `apiVersion: v1
kind: Config
current-context: none
contexts: [{ name: none, context: { cluster: none, user: none } }]
users: [{ name: none, user: {} }]
clusters: [{ name: none, cluster: { server: 'http://127.0.0.1:1' } }]
`,
)

const application = createApplication('v0.0.0')

/** Every command, as it is typed. */
function commandsOf(routes: RouteMap<CliContext>, prefix: readonly string[] = []): (readonly string[])[] {
  return routes.getAllEntries().flatMap(({ name, target }) => {
    const path = [...prefix, name['convert-camel-to-kebab']]
    return 'getAllEntries' in target ? commandsOf(target, path) : [path]
  })
}

/** Without QEMU in the PATH, `up` and `walk` start nothing. */
const env = { STEADYVM_HOME: join(home, 'none'), XDG_STATE_HOME: home, KUBECONFIG: kubeconfig, PATH: '/nonexistent', HOME: home }

async function execute(...args: readonly string[]): Promise<{ code: number; printed: string }> {
  const { context, printed } = testContext({ env })
  await run(application, args, context)
  return { code: Number(context.process.exitCode ?? 0), printed: printed.stdout + printed.stderr }
}

suite('every command', () => {
  after(() => rmSync(home, { recursive: true }))
  const commands = commandsOf(application.root as RouteMap<CliContext>)
  test('is found by this test', () => assert.ok(commands.length > 25, commands.join('\n')))

  for (const command of commands) {
    test(`steadyvm ${command.join(' ')}: prints a message whenever its exit code is not 0`, async () => {
      for (const args of [[], ['x'], ['vm/x'], ['vmcf/x'], ['x', 'y', 'z'], ['--to', 'v9.9.9'], ['--unknown']]) {
        if (command[0] === 'release' && args[0] !== '--unknown' && command[1] === 'build') continue
        // By default these write into the current folder, which is the checkout.
        const output = command[0] === 'package' ? ['--output', join(home, command.join('-'))] : []
        const { code, printed } = await execute(...command, ...args, ...output)
        assert.ok(code === 0 || printed.trim() !== '', `${[...command, ...args].join(' ')} ended with ${code} in silence`)
        assert.doesNotMatch(printed, /\n +at .*\.ts:\d+/, `${[...command, ...args].join(' ')} printed a stack`)
      }
    })
  }

  const vmCommands: readonly (readonly string[])[] = [
    ['why'],
    ['expand'],
    ['rollout', 'refresh'],
    ['rollout', 'history'],
    ['rollout', 'undo'],
    ['start'],
    ['stop'],
    ['restart'],
    ['migrate'],
    ['impact'],
  ]
  for (const command of vmCommands) {
    test(`steadyvm ${command.join(' ')}: accepts NAME, vm/NAME and vmi/NAME`, async () => {
      for (const target of ['web', 'vm/web', 'vmi/web']) {
        // The arguments are understood when the API is what is missing.
        assert.match((await execute(...command, target)).printed, /127\.0\.0\.1:1|ECONNREFUSED/)
      }
    })
  }
})
