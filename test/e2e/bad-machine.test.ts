import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, stat, symlink, truncate, readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../support/kubectl.ts'
import { eventually, prepareHome, repository, startMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

const steadyvm = join(repository, 'bin', 'steadyvm')

test(
  'a truncated database: the message names the file and the remedy',
  { skip: machineModeOnly('fills the disk of the data directory') },
  async () => {
    await using machine = await startMachine()
    await machine.kubectl(['create', 'configmap', 'kept', '--from-literal=a=b'])
    await machine.steadyvm('down')
    const database = join(machine.home, 'apiserver', 'state.db')
    for (const name of await readdir(join(machine.home, 'apiserver')))
      if (/-(wal|shm)$/.test(name)) await rm(join(machine.home, 'apiserver', name))
    const copy = join(machine.home, 'cache', 'state.db')
    await copyFile(database, copy)
    await truncate(database, Math.floor((await stat(database)).size / 2))
    const result = await machine.steadyvm('up')
    assert.equal(result.code, 1)
    assert.ok(result.stderr.includes(database), result.stderr)
    assert.match(result.stderr, /corrupt|damaged|malformed|not a database/i)
    assert.match(result.stderr, /steadyvm restore FILE/)

    const status = await machine.steadyvm('status')
    assert.equal(status.code, 2)
    assert.match(status.stdout, /API server ended with exit code 1 .*damaged/)
    // After some failures the kubelet pauses for longer than "up" waits below.
    await eventually(
      async () => /after [2-9] restarts.*damaged[^]*"steadyvm up" restarts it now/.test((await machine.steadyvm('status')).stdout),
      async () => (await machine.steadyvm('status')).stdout,
      20_000,
    )
    await copyFile(copy, database)
    const again = await machine.steadyvm('up', '--wait', 'api', '--timeout', '15')
    assert.equal(again.code, 0, again.stderr)
  },
)

test('a port in use: the message names it and the flag for another one', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1')
  t.after(() => blocker.close())
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  const home = await prepareHome()
  t.after(() => rm(home, { recursive: true, force: true }))
  const result = await runCommand(steadyvm, ['up', '--port', String(port)], { env: { ...process.env, STEADYVM_HOME: home } })
  assert.equal(result.code, 1)
  assert.ok(result.stderr.includes(`127.0.0.1:${port}`), result.stderr)
  assert.match(result.stderr, /--port/)
})

test('a missing QEMU: doctor and up name the package to install', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'no-qemu-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const program of ['sh', 'readlink', 'qemu-img']) {
    await symlink(execFileSync('/bin/sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim(), join(folder, program))
  }
  const home = await prepareHome()
  t.after(() => rm(home, { recursive: true, force: true }))
  const env = { ...process.env, PATH: folder, STEADYVM_HOME: home }
  const doctor = await runCommand(steadyvm, ['doctor'], { env })
  assert.equal(doctor.code, 2)
  assert.match(doctor.stdout, /QEMU +bad +.*apt-get install .*qemu-system-x86/)
  const up = await runCommand(steadyvm, ['up'], { env })
  assert.equal(up.code, 1)
  assert.match(up.stderr, /apt-get install .*qemu-system-x86/)
})

test(
  'a full disk: writes fail with a message, reads succeed, and writes recover when there is space',
  { skip: machineModeOnly('fills the disk of the data directory') },
  async (t) => {
    if (process.getuid?.() !== 0) return t.skip('mounting a small tmpfs needs root')
    const mount = await mkdtemp(join(tmpdir(), 'full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', mount])
    const home = join(mount, 'home')
    await mkdir(home)
    const env = { ...process.env, STEADYVM_HOME: home, KUBECONFIG: join(home, 'kubeconfig'), NODE_COMPILE_CACHE: '' }
    const run = (...args: string[]): ReturnType<typeof runCommand> => runCommand(steadyvm, args, { env })
    t.after(async () => {
      await run('down')
      // The kernel may release the files of an ended process a moment after it has been waited for.
      await eventually(
        () => spawnSync('umount', [mount]).status === 0,
        () => `${mount} is still in use`,
        10_000,
      )
      await rm(mount, { recursive: true })
    })
    const up = await run('up')
    assert.equal(up.code, 0, up.stderr)
    const kubectl = (args: string[], input?: string): ReturnType<typeof runCommand> =>
      runCommand('kubectl', args, { env, ...(input === undefined ? {} : { input }) })
    execFileSync('/bin/sh', ['-c', `head -c 64m /dev/zero > ${mount}/ballast 2>/dev/null || true`])
    let refused = ''
    for (let index = 0; index < 200 && refused === ''; index++) {
      const result = await kubectl(['create', 'configmap', `c-${index}`, `--from-literal=k=${'x'.repeat(60_000)}`])
      if (result.code !== 0) refused = result.stderr
    }
    assert.match(refused, /disk is full|no space|ENOSPC|storage/i)
    assert.equal((await kubectl(['get', 'nodes'])).code, 0)
    const status = await run('status')
    assert.equal(status.code, 2)
    assert.match(status.stdout, /not ready[^]*The API server is not ready: .*(disk|storage)/i)
    const upAgain = await run('up', '--timeout', '4')
    assert.equal(upAgain.code, 124, upAgain.stderr)
    assert.match(upAgain.stderr, /Timed out after 4 s: .*not ready/)
    assert.doesNotMatch(upAgain.stderr, /\n +at /)
    await rm(join(mount, 'ballast'))
    await eventually(
      async () => (await kubectl(['create', 'configmap', 'again', '--from-literal=k=v'])).code === 0,
      () => 'writes do not work again',
      20_000,
    )
  },
)
