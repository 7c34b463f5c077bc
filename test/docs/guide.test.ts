// Takes longer than 45 s: runs one page of the guide chosen at random; draining is the longest.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { effort, sample, seed } from '../support/effort.ts'
import { installHyperConverged } from '../support/hyperconverged.ts'
import { newestKubectl, noKubectl, runCommand } from '../support/kubectl.ts'
import { repository, startMachine, type TestMachine } from '../support/machine.ts'
import { testClusterHome } from '../support/place.ts'
import { isAsShown, readPage, type PageStep } from './guide-page.ts'

const guide = join(repository, 'docs', 'guide')
/** Pages that only the long tier runs, because guests restart or migrate in them. */
const slow: ReadonlySet<string> = new Set(['hardware.md', 'switching.md', 'updating-guests.md'])
/** Commands that change nothing: their documented output may need a moment to become true. */
const onlyLooks =
  /^(kubectl (get|wait) |steadyvm ((console|ssh|images (list|verify|history)|why|plan|impact|rollout history|upgrade (check|plan|status)) |revisions( -|$)))/
const patienceMs = 180_000
const place = testClusterHome === undefined ? 'machine' : 'cluster'

const files = readdirSync(guide).filter((file) => file.endsWith('.md'))
const textOf = (page: string): string => readFileSync(join(guide, page), 'utf8')
/** One of all; on a Kubernetes cluster those that say that they run there, too. */
const pages =
  testClusterHome === undefined
    ? sample(
        files.filter((file) => effort === 'long' || !slow.has(file)),
        1,
      )
    : files.filter((file) => textOf(file).includes('<!-- also: cluster -->'))

suite(`every example of the guide (seed ${seed})`, { skip: noKubectl }, () => {
  for (const name of pages) {
    const page = textOf(name)
    const skip = page.includes('<!-- needs: network -->') ? (podNetworkObstacle() ?? false) : false
    test(name, { skip }, async () => {
      const nodes = Number(/<!-- nodes: (\d+) -->/.exec(page)?.[1] ?? 1)
      await using machine = await startMachine({ nodes, soakSeconds: 2 })
      if (page.includes('<!-- platform: hyperconverged -->')) await installHyperConverged(machine)
      const directory = await mkdtemp(join(tmpdir(), 'guide-'))
      try {
        await cp(join(repository, 'examples'), join(directory, 'examples'), { recursive: true })
        const borrowed = /<!-- files: (\S+) -->/.exec(page)?.[1]
        const manifests = borrowed === undefined ? [] : readPage(textOf(borrowed), place).filter(({ kind }) => kind === 'file')
        const steps = [...manifests, ...readPage(page, place)]
        assert.ok(steps.length > 0, `${name} has no example`)
        for (const step of steps) await follow(machine, directory, step, name)
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    })
  }
})

async function follow(machine: TestMachine, directory: string, step: PageStep, page: string): Promise<void> {
  if (step.kind === 'file') return writeFile(join(directory, step.name), step.content)
  const { command, output, line } = step
  const path = [join(repository, 'bin'), process.env['PATH']].join(delimiter)
  const env = { ...machine.env, PATH: path, KUBECTL: newestKubectl().path }
  const script = `kubectl() { "$KUBECTL" "$@"; }\n{ ${command}\n} 2>&1`
  const deadline = Date.now() + patienceMs
  for (;;) {
    const { stdout } = await runCommand('/bin/bash', ['-c', script], { env, cwd: directory, timeoutMs: patienceMs })
    if (isAsShown(output, stdout)) return
    const isOver = !onlyLooks.test(command) || Date.now() > deadline
    assert.ok(!isOver, `docs/guide/${page}:${line}: "${command}" should print\n${output.join('\n')}\nand prints\n${stdout}`)
    await sleep(500)
  }
}
