import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { eventually, isWritten } from './kubelet.fixture.ts'
import { everyNth } from '#test/effort.ts'
import { containerMarker, findMarked, type MarkedProcess } from './process/process-marker.ts'

interface Node extends AsyncDisposable {
  readonly directory: string
  /** Processes that are containers' own. */
  leaders(): readonly MarkedProcess[]
  start(killAtStep?: number): ChildProcess
}

// Dozens of kubelets start here: what they load is compiled once.
const compiled = join(tmpdir(), 'steadyvm-test-compiled')

function createNode(): Node {
  const directory = mkdtempSync(join(tmpdir(), 'crash-'))
  const children: ChildProcess[] = []
  const all = (): readonly MarkedProcess[] => findMarked('').filter((found) => found.environment['POD_DIR']?.startsWith(directory) === true)
  mkdirSync(join(directory, 'manifests'))
  return {
    directory,
    leaders: () => all().filter((found) => found.variable === containerMarker && found.pid === found.group),
    start(killAtStep = 0) {
      const script = new URL('kubelet-process.fixture.ts', import.meta.url).pathname
      const child = spawn(process.execPath, [script, directory, String(killAtStep)], {
        env: { ...process.env, NODE_COMPILE_CACHE: compiled },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      children.push(child)
      return child
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      for (const { pid } of all()) process.kill(pid, 'SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function writeManifest(node: Node, name: string, script: string, restartPolicy: string): void {
  const container = `{ name: main, image: shell, command: [/bin/sh, -c, ${JSON.stringify(script)}] }`
  const spec = `{ restartPolicy: ${restartPolicy}, terminationGracePeriodSeconds: 1, containers: [${container}] }`
  writeFileSync(
    join(node.directory, 'manifests', `${name}.yaml`),
    `{ apiVersion: v1, kind: Pod, metadata: { name: ${name} }, spec: ${spec} }\n`,
  )
}

/**
 * A kubelet that starts a job and a service takes so many steps until both are recorded: nine and
 * seven.
 */
const startSteps = 16

/** Runs two at a time, and returns how many steps were tried. */
async function eachStep(steps: number, run: (step: number) => Promise<void>): Promise<number> {
  const tried: number[] = []
  for (const step of everyNth({ default: 5, long: 1 })) {
    if (step > steps) break
    tried.push(step)
  }
  for (let index = 0; index < tried.length; index += 2) await Promise.all(tried.slice(index, index + 2).map(run))
  return tried.length
}

suite('a kubelet killed by SIGKILL between any two steps', () => {
  test('never runs a job twice, and never a second process of a service', async () => {
    let killed = 0
    const tried = await eachStep(startSteps, async (step) => {
      await using node = createNode()
      const out = join(node.directory, 'out')
      writeManifest(node, 'job', `echo ran >> ${out}`, 'Never')
      writeManifest(node, 'service', 'exec sleep 1000', 'Always')
      const first = node.start(step)
      await Promise.race([once(first, 'exit'), eventually(() => isWritten(out) && node.leaders().length === 1)])
      if (first.signalCode === 'SIGKILL') killed++
      else first.kill('SIGKILL')
      node.start()
      await eventually(() => isWritten(out) && node.leaders().length === 1)
      // Time for a second process to appear, if there were one.
      await new Promise((resolve) => setTimeout(resolve, 200))
      assert.equal(readFileSync(out, 'utf8'), 'ran\n', `killed at step ${step}`)
      assert.equal(node.leaders().length, 1, `killed at step ${step}`)
    })
    assert.ok(killed * 2 >= tried, `most kills must have hit, not ${killed} of ${tried}`)
  })

  test('completes terminations', async () => {
    let killed = 0
    const tried = await eachStep(8, async (step) => {
      await using node = createNode()
      writeManifest(node, 'service', 'sleep 1000 & sleep 1000', 'Always')
      const first = node.start()
      await eventually(() => node.leaders().length === 1)
      first.kill('SIGKILL')
      await once(first, 'exit')
      rmSync(join(node.directory, 'manifests', 'service.yaml'))
      const second = node.start(step)
      const isOver = (): boolean => readdirSync(join(node.directory, 'pods')).length === 0
      await Promise.race([once(second, 'exit'), eventually(isOver)])
      if (second.signalCode === 'SIGKILL') killed++
      else second.kill('SIGKILL')
      node.start()
      await eventually(() => isOver() && node.leaders().length === 0)
      const left = findMarked('').filter((found) => found.environment['POD_DIR']?.startsWith(node.directory) === true)
      assert.deepEqual(left, [], `killed at step ${step}`)
    })
    assert.ok(killed * 2 >= tried, `most kills must have hit, not ${killed} of ${tried}`)
  })
})
