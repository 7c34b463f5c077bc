// Takes longer than 45 s: it is what `npm start` does, in a new home.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { findProcesses } from '#machine/supervisor/processes.ts'
import { longTest } from '../support/effort.ts'
import { newestKubectl, runCommand, type CommandResult } from '../support/kubectl.ts'
import { prepareHome, repository } from '../support/machine.ts'

suite('the walk of `npm start`, and `npm stop`', () => {
  let home: string
  before(async () => {
    home = await prepareHome()
  })
  after(() => rm(home, { recursive: true, force: true }))

  function steadyvm(...args: string[]): Promise<CommandResult> {
    return runCommand(join(repository, 'bin', 'steadyvm'), args, {
      env: { ...process.env, STEADYVM_HOME: home, NO_COLOR: '1' },
      timeoutMs: 600_000,
    })
  }

  function assertTold(story: CommandResult, found: RegExp): void {
    assert.equal(story.code, 0, story.stdout + story.stderr)
    assert.match(story.stdout, found)
    assert.match(story.stdout, /demo-small-v1beta1-[0-9a-f-]{36}-1/)
    assert.match(story.stdout, /demo-tiny-linux-v1beta1-[0-9a-f-]{36}-1/)
    assert.match(story.stdout, /steadyvm-guest: ready cpus=2 sockets=1 cores=2 memory=128Mi/)
    assert.match(story.stdout, /guest after the restart +2 +128Mi/)
    assert.match(story.stdout, /The guest is the same/)
  }

  test('shows all steps with a new cluster', async () => {
    assertTold(await steadyvm('walk'), /a new cluster/)
    assert.equal((await stat(join(home, 'kubeconfig'))).mode & 0o777, 0o600)
    const generations = ['get', 'daemonsets,deployments', '-n', 'kubevirt', '-o', 'jsonpath={.items[*].metadata.generation}']
    const { stdout } = await runCommand(newestKubectl().path, generations, {
      env: { ...process.env, KUBECONFIG: join(home, 'kubeconfig') },
    })
    assert.match(stdout, /^1( 1)+$/, 'the first configuration by HyperConverged replaces no component')
  })

  // That "up" finds a cluster that runs is proved by test/e2e/up.test.ts, too.
  longTest('run again, keeps the data and reports the running cluster', async () => {
    assertTold(await steadyvm('walk'), /found it running/)
  })

  test('listens on loopback only, and protects secret files', async () => {
    const mine = new Set(findProcesses(home).map(({ pid }) => pid))
    assert.ok(mine.size > 5)
    const { stdout } = await runCommand('/bin/sh', ['-c', 'command -v ss >/dev/null && ss -Hltnp || true'])
    for (const line of stdout.split('\n').filter((text) => [...mine].some((pid) => text.includes(`pid=${pid},`))))
      assert.match(line, / 127\.\d+\.\d+\.\d+:/)
    for (const file of ['pki/ca.key', 'pki/admin.pem', 'pki/virt-controller.kubeconfig', 'apiserver/state.db']) {
      assert.equal((await stat(join(home, file))).mode & 0o077, 0, file)
    }
  })

  test('stop leaves no process, socket, FIFO or mount, and keeps the data', async () => {
    const result = await steadyvm('down')
    assert.equal(result.code, 0, result.stderr)
    assert.deepEqual(findProcesses(home), [])
    assert.ok(!readFileSync('/proc/net/unix', 'utf8').includes(home))
    assert.ok(!readFileSync('/proc/mounts', 'utf8').includes(home))
    const left = await readdir(join(home, 'nodes'), { recursive: true, withFileTypes: true })
    assert.deepEqual(
      left.filter((entry) => entry.isFIFO() || entry.isSocket()).map(({ name }) => name),
      [],
    )
    await assert.rejects(stat(join(home, 'run')), { code: 'ENOENT' })
  })

  longTest('started again after a stop, finds the earlier cluster', async () => {
    assertTold(await steadyvm('walk'), /found the data of an earlier cluster/)
    assert.equal((await steadyvm('down')).code, 0)
  })
})
