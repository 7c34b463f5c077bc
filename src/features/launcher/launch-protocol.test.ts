import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Domain } from '#qemu/index.ts'
import {
  inspectLauncher,
  launchRecordVersion,
  readLaunchRecord,
  releaseLauncher,
  writeLaunchRecord,
  type LaunchRecord,
} from './launch-protocol.ts'
import { launcherPaths, type LauncherPaths } from './launcher-paths.ts'
import { preStopCommand } from './pre-stop.ts'

const script = fileURLToPath(new URL('virt-launcher.sh', import.meta.url))

suite('launch protocol', () => {
  test('a waiting launcher becomes the recorded program and keeps its PID', async () => {
    await using pod = await createPod()
    const child = pod.start()
    await until(async () => (await inspectLauncher(pod.paths)).kind === 'running')
    await sleep(50)
    await writeLaunchRecord(pod.paths, pod.record)
    await releaseLauncher(pod.paths, pod.record)
    await until(async () => (await pod.output()) === `${child.pid} it's "odd"\n`)
  })

  test('a launcher that starts after the release launches at once', async () => {
    await using pod = await createPod()
    await writeLaunchRecord(pod.paths, pod.record)
    await releaseLauncher(pod.paths, pod.record)
    const child = pod.start()
    await until(async () => (await pod.output()) === `${child.pid} it's "odd"\n`)
  })

  test('a release that was interrupted after the record can be repeated', async () => {
    await using pod = await createPod()
    await writeLaunchRecord(pod.paths, pod.record)
    const child = pod.start()
    await until(async () => (await inspectLauncher(pod.paths)).kind === 'running')
    const record = await readLaunchRecord(pod.paths)
    assert.deepEqual(record, pod.record)
    for (let time = 0; time < 3; time++) await releaseLauncher(pod.paths, record ?? pod.record)
    await until(async () => (await pod.output()) === `${child.pid} it's "odd"\n`)
  })

  test('inspectLauncher() distinguishes absent, running and gone, also with a reused PID', async () => {
    await using pod = await createPod()
    assert.equal((await inspectLauncher(pod.paths)).kind, 'absent')
    const child = pod.start()
    await until(async () => (await inspectLauncher(pod.paths)).kind === 'running')
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    assert.equal((await inspectLauncher(pod.paths)).kind, 'gone')
    await writeFile(join(pod.paths.sharedDirectory, 'process'), `${process.pid} 1\n`)
    assert.equal((await inspectLauncher(pod.paths)).kind, 'gone')
  })

  test('the preStop hook waits for a launched guest only', async () => {
    await using pod = await createPod()
    const guest = pod.start()
    await until(async () => (await inspectLauncher(pod.paths)).kind === 'running')
    assert.equal(await exitOf(pod.startHook()), 0)
    await releaseLauncher(pod.paths, pod.record)
    await until(async () => (await pod.output()) !== '')
    const waiting = pod.startHook()
    const ended = exitOf(waiting)
    assert.equal(await Promise.race([ended, sleep(300, 'still waiting')]), 'still waiting')
    guest.kill('SIGKILL')
    assert.equal(await ended, 0)
  })
})

interface Pod extends AsyncDisposable {
  readonly paths: LauncherPaths
  readonly record: LaunchRecord
  start(): ChildProcess
  startHook(): ChildProcess
  output(): Promise<string>
}

async function createPod(): Promise<Pod> {
  const directory = await mkdtemp(join(tmpdir(), 'launcher-'))
  const paths = launcherPaths(join(directory, 'pods'), join(directory, 'run'), '01234567-89ab-cdef-0123-456789abcdef')
  await mkdir(paths.sharedDirectory, { recursive: true })
  const outputFile = join(directory, 'output')
  await writeFile(outputFile, '')
  const children: ChildProcess[] = []
  const run = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, { env: { ...process.env, POD_DIR: join(paths.sharedDirectory, '../../..') }, stdio: 'inherit' })
    children.push(child)
    return child
  }
  const program = `echo "$$ $1" >>${outputFile}; exec sleep 30`
  return {
    paths,
    record: {
      version: launchRecordVersion,
      vmi: { namespace: 'default', name: 'web', uid: 'u' },
      pod: { uid: '01234567-89ab-cdef-0123-456789abcdef' },
      gracePeriodSeconds: 30,
      startPaused: false,
      binary: '/bin/sh',
      arguments: ['-c', program, 'sh', `it's "odd"`],
      domain: {} as Domain,
      monitor: '',
    },
    start: () => run('sh', [script]),
    startHook: () => run(preStopCommand[0] ?? '', preStopCommand.slice(1)),
    output: () => readFile(outputFile, 'utf8'),
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all(children.map(exitOf))
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('exit', resolve))
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    if (await condition()) return
    await sleep(20)
  }
  assert.fail('the condition did not come true within a minute')
}
