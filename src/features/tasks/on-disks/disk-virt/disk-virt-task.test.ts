import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { exitCodes, TaskFailed } from '../../exit-codes.ts'
import { readParameters } from '../../program/parameters.ts'
import type { TaskContext } from '../../task.ts'
import { diskVirtCustomize, diskVirtSysprep } from './disk-virt-task.ts'

const tasks = [diskVirtCustomize, diskVirtSysprep]

suite('disk-virt', () => {
  let directory = ''
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'disk-virt-'))
    await writeFile(join(directory, 'disk.img'), '')
  })
  after(() => rm(directory, { recursive: true }))

  /** What the tool was run with. */
  interface Ran {
    readonly command: readonly string[]
    readonly environment: Readonly<Record<string, string>> | undefined
    readonly commands: string
  }

  async function run(
    task: (typeof tasks)[number],
    environment: Readonly<Record<string, string>>,
    {
      args = [],
      end = { code: 0, output: '', lastLines: '' },
      mounted = directory,
    }: {
      readonly args?: readonly string[]
      readonly end?: { readonly code: number; readonly output: string; readonly lastLines: string } | Error
      readonly mounted?: string
    } = {},
  ): Promise<Ran | undefined> {
    let ran: Ran | undefined
    const variables = { ...environment, STEADYVM_MOUNTS: `/mnt/targetpvc=${mounted}` }
    const context = {
      parameters: readParameters(task, ['--pvc=root', ...args], variables),
      environment: variables,
      directory,
      log: () => {},
      signal: AbortSignal.timeout(10_000),
      async runCommand(command: readonly string[], options: { readonly environment?: Readonly<Record<string, string>> }) {
        const file = command[command.indexOf('--commands-from-file') + 1] ?? ''
        assert.equal((await stat(file)).mode & 0o077, 0, 'others may read the commands')
        ran = { command, environment: options.environment, commands: await readFile(file, 'utf8') }
        if (end instanceof Error) throw end
        return end
      },
    }
    assert.deepEqual(await task.run(context as unknown as TaskContext), {})
    return ran
  }

  const failure =
    (exitCode: number, message: RegExp) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof TaskFailed)
      assert.equal(error.exitCode, exitCode)
      assert.match(error.message, message)
      return true
    }

  for (const task of tasks) {
    const tool = task.name.replace('disk-', '')
    test(`${task.name} gives ${tool} the disk, the commands and the options`, async () => {
      const ran = await run(task, { VIRT_COMMANDS: 'hostname web\ninstall nginx', ADDITIONAL_VIRT_OPTIONS: "--smp 2 --run-command 'a b'" })
      const [program, ...args] = ran?.command ?? []
      assert.equal(program, tool)
      const file = join(directory, 'commands')
      const disk = join(directory, 'disk.img')
      assert.deepEqual(args, ['--format', 'raw', '--add', disk, '--commands-from-file', file, '--smp', '2', '--run-command', 'a b'])
      assert.equal(ran?.commands, 'hostname web\ninstall nginx\n')
      assert.equal(ran?.environment?.['LIBGUESTFS_BACKEND'], 'direct')
    })

    const verbose: readonly (readonly [string, string, readonly string[]])[] = [
      ['true', '', ['--verbose', '-x']],
      ['true', '-v', ['-v', '-x']],
      ['true', '--verbose -x', ['--verbose', '-x']],
      ['false', '', []],
    ]
    for (const [value, options, expected] of verbose)
      test(`${task.name} with verbose=${value} and "${options}"`, async () => {
        const ran = await run(task, { VIRT_COMMANDS: 'x', ADDITIONAL_VIRT_OPTIONS: options }, { args: [`--verbose=${value}`] })
        assert.deepEqual(ran?.command.slice(7), expected)
      })

    test(`${task.name} reports how the tool ends`, async () => {
      const ended = { code: 1, output: '', lastLines: 'virt-x: error: no operating systems were found' }
      await assert.rejects(
        run(task, { VIRT_COMMANDS: 'x' }, { end: ended }),
        failure(exitCodes.failed, /exit code 1[^]*no operating systems/),
      )
      const locked = { ...ended, lastLines: 'virt-x: error: libguestfs error: guestfs_launch failed.' }
      await assert.rejects(run(task, { VIRT_COMMANDS: 'x' }, { end: locked }), failure(exitCodes.failed, /another run may use the disk/))
    })

    test(`${task.name} tells where to get a tool that is missing`, async () => {
      const end = new TaskFailed(exitCodes.preconditionFailed, 'ENOENT')
      await assert.rejects(
        run(task, { VIRT_COMMANDS: 'x' }, { end }),
        failure(exitCodes.preconditionFailed, /apt-get install libguestfs-tools/),
      )
    })

    test(`${task.name} refuses what it cannot use`, async () => {
      const bad = failure(exitCodes.badInput, /additionalVirtOptions/)
      await assert.rejects(run(task, { ADDITIONAL_VIRT_OPTIONS: "'a" }), bad)
      await assert.rejects(run(task, { VIRT_COMMANDS: 'x' }, { args: ['--verbose=yes'] }), failure(exitCodes.badInput, /verbose/))
      const mounted = join(directory, 'none')
      await assert.rejects(run(task, { VIRT_COMMANDS: 'x' }, { mounted }), failure(exitCodes.preconditionFailed, /no volume/))
    })
  }

  test('only virt-sysprep has something to do without commands', async () => {
    await assert.rejects(run(diskVirtCustomize, {}), failure(exitCodes.badInput, /nothing to do/))
    assert.equal((await run(diskVirtSysprep, {}))?.commands, '\n')
  })
})
