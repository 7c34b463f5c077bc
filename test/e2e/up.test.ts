import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '#machine/home/config.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { endProcesses, findProcesses, isAlive, signalProcess, type ClusterProcess } from '#machine/supervisor/processes.ts'
import { thisRelease } from '#machine/release/release.ts'
import { startSupervisor } from '#machine/supervisor/supervisor.ts'
import { repeats, sample } from '../support/effort.ts'
import { runCommand, type CommandResult } from '../support/kubectl.ts'
import { destroyHome, eventually, prepareHome, repository } from '../support/machine.ts'

const steadyvm = join(repository, 'bin', 'steadyvm')
const NODES = ['node-1', 'node-2']

interface Home extends AsyncDisposable {
  readonly home: string
  readonly run: (...args: string[]) => Promise<CommandResult>
}

/**
 * Creates a home that is removed together with its processes. It is registered with those of the
 * other tests, which would otherwise choose its ports while its API server restarts.
 */
async function useHome(): Promise<Home> {
  const home = await prepareHome()
  const env = { ...process.env, STEADYVM_HOME: home }
  const run = (...args: string[]): Promise<CommandResult> => runCommand(steadyvm, args, { env })
  return {
    home,
    run,
    [Symbol.asyncDispose]: () => destroyHome(home),
  }
}

const pidsOf = (home: string, role: string, node: string): number[] =>
  findProcesses(home)
    .filter((found) => found.role === role && found.node === node)
    .map(({ pid }) => pid)

/**
 * Asserts that each node has one supervisor and one kubelet, and keeps them: a surplus one would
 * not end. A process that one of them has forked looks like it until it executes its program, so
 * only processes that are there twice count.
 */
async function assertOneOfEach(home: string): Promise<void> {
  const pids = (): number[][] => NODES.flatMap((node) => ['supervisor', 'kubelet'].map((role) => pidsOf(home, role, node)))
  await eventually(
    () => pids().every((each) => each.length === 1),
    () => `supervisor and kubelet of ${NODES.join(' and ')}: ${pids().join(' / ')}`,
    15_000,
  )
  const before = pids()
  await sleep(300)
  const lasting = pids().map((each, index) => each.filter((pid) => before[index]?.includes(pid) === true).length)
  assert.deepEqual(lasting, [1, 1, 1, 1])
  assert.equal(pidsOf(home, 'apiserver', 'node-1').length, 1)
}

/** Kills a process group, which may have ended by itself. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

suite('several "steadyvm up" at once', () => {
  let machine: Home
  before(async () => void (machine = await useHome()))
  after(() => machine[Symbol.asyncDispose]())

  test('start one supervisor and one kubelet per node, and all of them succeed', async () => {
    for (let round = 0; round < repeats({ default: 1, long: 2 }); round++) {
      const results = await Promise.all(Array.from({ length: 3 }, () => machine.run('up', '--nodes', '2', '--wait', 'api')))
      assert.deepEqual(
        results.map(({ code, stderr }) => (code === 0 ? '' : stderr)),
        ['', '', ''],
      )
      await assertOneOfEach(machine.home)
      if (round === 0) assert.equal((await machine.run('down')).code, 0)
    }
  })

  test('start one of each when supervisors, kubelets and other "up"s are killed meanwhile', async () => {
    const moments = [
      [150, 'supervisor'],
      [400, 'kubelet'],
      [700, 'supervisor'],
    ] as const
    for (const [delayMs, role] of sample(moments, 1)) {
      for (const found of findProcesses(machine.home)) if (['supervisor', 'kubelet'].includes(found.role)) signalProcess(found, 'SIGKILL')
      const env = { ...process.env, STEADYVM_HOME: machine.home }
      const killed = [0, 1].map(() => spawn(steadyvm, ['up', '--wait', 'api'], { env, stdio: 'ignore', detached: true }))
      const other = machine.run('up', '--wait', 'api')
      await sleep(delayMs)
      for (const { pid } of killed) if (pid !== undefined) killGroup(pid)
      for (const found of findProcesses(machine.home)) if (found.role === role) signalProcess(found, 'SIGKILL')
      assert.equal((await other).code, 0, (await other).stderr)
      const last = await machine.run('up', '--wait', 'api')
      assert.equal(last.code, 0, last.stderr)
      await assertOneOfEach(machine.home)
    }
  })
})

suite('two homes', () => {
  let machine: Home
  let other: Home
  before(async () => {
    ;[machine, other] = await Promise.all([useHome(), useHome()])
  })
  after(() => machine[Symbol.asyncDispose]())

  test('that are set up at once listen on different ports', async () => {
    await using two = other
    const results = await Promise.all([machine, two].map(({ run }) => run('up', '--wait', 'api')))
    assert.deepEqual(
      results.map(({ code, stderr }) => (code === 0 ? '' : stderr)),
      ['', ''],
    )
    const [first, second] = await Promise.all([machine, two].map(({ home }) => readConfig(dataDirectory(home))))
    assert.notEqual(first?.apiPort, second?.apiPort)
  })

  test('an API server that is asked to stop right after its start ends, and is started again', async () => {
    const find = (): ClusterProcess | undefined => findProcesses(machine.home).find(({ role }) => role === 'apiserver')
    const first = find()
    assert.ok(first)
    signalProcess(first, 'SIGTERM')
    await eventually(
      () => !isAlive(first),
      () => 'the API server still runs',
    )
    await eventually(
      () => find() !== undefined,
      () => 'the kubelet has not restarted it',
    )
  })

  test('"up" that changes the configuration of a running API server waits for its restart', async () => {
    const first = await machine.run('up', '--wait', 'api')
    assert.equal(first.code, 0, first.stderr)
    const [before] = pidsOf(machine.home, 'apiserver', 'node-1')
    const manifest = join(dataDirectory(machine.home).node('node-1').manifests, 'apiserver.json')
    const wanted = await readFile(manifest, 'utf8')
    // An earlier release wrote other manifests.
    await writeFile(manifest, wanted.replace('"periodSeconds": 10', '"periodSeconds": 9'))
    await eventually(
      () => pidsOf(machine.home, 'apiserver', 'node-1').some((pid) => pid !== before),
      () => 'the kubelet did not restart the API server',
    )
    const second = await machine.run('up')
    assert.equal(second.code, 0, second.stderr)
    assert.match(second.stderr, /^API ready at \S+ after .* \(replaced the running one\)$/m)
    assert.equal(await readFile(manifest, 'utf8'), wanted)
    const third = await machine.run('up')
    assert.match(third.stderr, /\(found it running\)/)
  })

  test('"up" replaces the kubelet of another checkout, and its containers keep running', async () => {
    const directory = dataDirectory(machine.home)
    const release = thisRelease()
    const root = join(machine.home, 'other-checkout')
    await mkdir(root)
    for (const name of ['node_modules', 'package.json', 'src']) await symlink(join(release.root, name), join(root, name))
    const find = (): ClusterProcess[] => findProcesses(machine.home).filter(({ role }) => ['supervisor', 'kubelet'].includes(role))
    const apiservers = pidsOf(machine.home, 'apiserver', 'node-1')
    // A supervisor that outlives its kubelet for a moment starts another one.
    while (find().length > 0) await endProcesses(find(), { now: () => Date.now(), sleep })
    startSupervisor({ directory, release: { ...release, root }, node: 'node-1', adopt: undefined })
    await eventually(
      () => find().some(({ role, command }) => role === 'kubelet' && command.includes(root)),
      async () =>
        `the kubelet of the other checkout does not start: ${JSON.stringify(find())} ${await readFile(directory.node('node-1').log, 'utf8')}`,
    )
    const second = await machine.run('up')
    assert.equal(second.code, 0, second.stderr)
    assert.match(second.stderr, /\(replaced the running one\)/)
    await eventually(
      () => find().length === 2 && find().every(({ command }) => !command.includes(root)),
      () => JSON.stringify(find()),
    )
    assert.deepEqual(pidsOf(machine.home, 'apiserver', 'node-1'), apiservers)
  })
})

test('a supervisor ends when its home is removed', async () => {
  const home = await mkdtemp(join(tmpdir(), 'steadyvm-supervisor-'))
  const log = join(home, 'kubelet.log')
  const script = join(repository, 'src/machine/supervisor/supervise.sh')
  const supervisor = spawn('/bin/sh', [script, join(home, 'stop'), log, join(home, 'pid'), '0', 'sleep', '0.1'], { stdio: 'ignore' })
  const ended = once(supervisor, 'exit')
  await eventually(
    () => existsSync(log),
    () => 'the supervisor starts nothing',
  )
  await rm(home, { recursive: true })
  assert.deepEqual(await ended, [0, null])
})
