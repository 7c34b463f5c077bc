import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isRunning, type Domain } from '#qemu/index.ts'
import { inspectLauncher, launchRecordVersion, releaseLauncher, writeLaunchRecord, type LaunchRecord } from './launch-protocol.ts'
import { containedLauncherPaths, mountPoints, type LauncherPaths } from './launcher-paths.ts'

const script = fileURLToPath(new URL('virt-launcher.sh', import.meta.url))
const noRoot = process.getuid?.() === 0 ? false : 'takes root: the test makes namespaces of mounts and PIDs'

/** A launcher with PIDs and mounts of its own, as in a container. */
interface Container extends AsyncDisposable {
  readonly paths: LauncherPaths
  readonly child: ChildProcess
}

async function startContainer(): Promise<Container> {
  const directory = await mkdtemp(join(tmpdir(), 'contained-'))
  const paths = containedLauncherPaths(directory, '01234567-89ab-cdef-0123-456789abcdef')
  await mkdir(paths.sharedDirectory, { recursive: true })
  const setUp = `mount -t tmpfs none /run && mkdir -p ${mountPoints.handover} && mount --bind "$0" ${mountPoints.handover} && exec sh "$1"`
  const { PATH = '' } = process.env
  const child = spawn('unshare', ['-m', '-p', '-f', '--kill-child', '--mount-proc', 'sh', '-c', setUp, paths.sharedDirectory, script], {
    env: { PATH },
    stdio: 'ignore',
  })
  return {
    paths,
    child,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function recordOf(output: string): LaunchRecord {
  return {
    version: launchRecordVersion,
    vmi: { namespace: 'default', name: 'web', uid: 'u' },
    pod: { uid: '01234567-89ab-cdef-0123-456789abcdef' },
    gracePeriodSeconds: 30,
    startPaused: false,
    binary: '/bin/sh',
    arguments: ['-c', `echo $$ >${output}; exec sleep 30`],
    domain: {} as Domain,
    monitor: '',
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await condition()); await sleep(20)) {
    if (Date.now() > end) assert.fail('the condition did not come true within 20 s')
  }
}

const isRunningIn = async (paths: LauncherPaths): Promise<boolean> => (await inspectLauncher(paths)).kind === 'running'

suite('a launcher in a container', { skip: noRoot }, () => {
  test('is found on the node by the identity that it has in its container, and becomes the recorded program', async () => {
    await using container = await startContainer()
    const { paths } = container
    await until(() => isRunningIn(paths))
    const waiting = await inspectLauncher(paths)
    assert.ok(waiting.kind === 'running' && waiting.identity.pid > 1 && isRunning(waiting.identity))
    const [pid] = (await readFile(join(paths.sharedDirectory, 'process'), 'utf8')).split(' ')
    assert.equal(pid, '1')

    const record = recordOf(join(mountPoints.handover, 'output'))
    await writeLaunchRecord(paths, record)
    await releaseLauncher(paths, record)
    await until(async () => (await readFile(join(paths.sharedDirectory, 'output'), 'utf8').catch(() => '')) === '1\n')
    assert.deepEqual(await inspectLauncher(paths), waiting)
    await assert.rejects(readFile(join(paths.sharedDirectory, 'launch.json')), 'the launcher must not see its record')

    process.kill(waiting.identity.pid, 'SIGKILL')
    await until(async () => (await inspectLauncher(paths)).kind === 'gone')
  })

  test('cannot name a process of others as its own', async () => {
    await using container = await startContainer()
    await using other = await startContainer()
    await until(() => isRunningIn(container.paths))
    await until(() => isRunningIn(other.paths))
    const identity = await readFile(join(other.paths.sharedDirectory, 'process'))
    await writeFile(join(container.paths.sharedDirectory, 'process'), identity)
    assert.equal((await inspectLauncher(container.paths)).kind, 'gone')
    const [, , boot] = identity.toString().trim().split(' ')
    const { pid } = process
    const startTicks = (await readFile('/proc/self/stat', 'utf8')).split(') ')[1]?.split(' ')[19]
    await writeFile(join(container.paths.sharedDirectory, 'process'), `${pid} ${startTicks} ${boot} pid:[1]\n`)
    assert.equal((await inspectLauncher(container.paths)).kind, 'gone')
  })
})
