import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { noUnprivilegedNetwork, unprivilegedUser, withoutRoot } from './unprivileged.fixture.ts'

const script = fileURLToPath(new URL('pod-network.sh', import.meta.url))

/** The network of a user without root, whose processes the test starts as the kubelet does. */
function network(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'network without root-'))
  chownSync(root, unprivilegedUser, unprivilegedUser)
  const directory = join(root, 'network')
  const env = { PATH: '/usr/bin:/bin', NETWORK_OWNER: root, NETWORK_DIR: directory, POD_CIDR_PREFIX: '10.77', HOST_LINK: 'none' }
  const started: ChildProcess[] = []
  const start = (command: readonly string[]): ChildProcess => {
    const [program, ...args] = withoutRoot(command)
    const child = spawn(program, args, { env, stdio: 'ignore', detached: true })
    started.push(child)
    return child
  }
  const enter = [`--user=${directory}/holder/ns/user`, `--net=${directory}/namespace`, '--preserve-credentials', '--']
  const run = (part: string): ChildProcess => start(['/bin/sh', script, part])
  t.after(() => {
    for (const child of started) kill(child)
    rmSync(root, { recursive: true, force: true })
  })
  return {
    directory,
    run,
    /** Starts a process in the network. */
    join: (...command: string[]) => start(['nsenter', ...enter, ...command]),
    /** Runs a command in the network, and returns its output. */
    within: (...command: string[]) => {
      const [program, ...args] = withoutRoot(['nsenter', ...enter, ...command])
      return spawnSync(program, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, encoding: 'utf8' })
    },
    isReady: () => {
      try {
        return statSync(join(directory, 'namespace')).ino === Number(readFileSync(join(directory, 'ready'), 'utf8'))
      } catch {
        return false
      }
    },
    isGone: () => !existsSync(directory),
  }
}

/** Ends a process and what it left in its group, as the kubelet does with a container. */
function kill({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** A test that exceeds its limit ends here: its process would never end otherwise. */
async function until({ signal }: TestContext, check: () => boolean): Promise<void> {
  while (!check()) await sleep(20, undefined, { signal })
}

suite('pod-network.sh without root', { skip: noUnprivilegedNetwork(), timeout: 240_000 }, () => {
  test('is set up again for the guests that are in it, whatever of it was killed', async (t) => {
    const { directory, run, join: enter, within, isReady } = network(t)
    const hasMark = (): boolean => within('ip', 'link', 'show', 'mark0').status === 0
    let [uplink, dns] = [run('uplink'), run('dns')]
    await until(t, () => isReady() && within('ip', 'link', 'show', 'up0').status === 0)
    assert.equal(within('ip', 'link', 'add', 'mark0', 'type', 'bridge').status, 0)
    const guest = enter('setpriv', '--bounding-set=-all', '--', 'sleep', 'infinity')
    const own = readlinkSync('/proc/self/ns/net')
    await until(t, () => readlinkSync(`/proc/${guest.pid}/ns/net`) !== own)

    // The uplink ends with the holder of the namespace, which would be missed by nothing else.
    process.kill(Number(/\d+$/.exec(readlinkSync(join(directory, 'holder')))?.[0]), 'SIGKILL')
    await once(uplink, 'exit')
    assert.equal(isReady(), false)
    uplink = run('uplink')
    await until(t, isReady)
    assert.ok(hasMark())

    kill(uplink)
    kill(dns)
    await until(t, () => !isReady())
    ;[uplink, dns] = [run('uplink'), run('dns')]
    await until(t, isReady)
    assert.ok(hasMark())

    // Without guests nothing is left of it, and there is a new one.
    for (const child of [uplink, dns, guest]) kill(child)
    await until(t, () => !isReady())
    run('uplink')
    await until(t, isReady)
    assert.equal(within('ip', 'address', 'show', 'pods0').status, 0)
    assert.ok(!hasMark())
  })

  test('leaves nothing', async (t) => {
    const { run, isReady, isGone } = network(t)
    const uplink = run('uplink')
    await until(t, isReady)
    kill(uplink)
    await once(run('remove'), 'exit')
    assert.ok(isGone())
  })
})
