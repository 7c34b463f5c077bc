// Takes longer than 45 s: it runs the end-to-end tests of machine mode against a cluster.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noKubectl, runCommand } from '../support/kubectl.ts'
import { repository } from '../support/machine.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { foldersOf } from './settings.ts'

/** Milliseconds for all files, and for one. */
const limits = { all: 3_500_000, one: 900_000 }

const work = await mkdtemp(join(tmpdir(), 'steadyvm-suites-'))
const folders = foldersOf({ home: join(work, 'cluster') })
const cluster = new KubernetesCluster(folders, () => {})

/**
 * Files that get their cluster from `startMachine()`, and those that share one. Other end-to-end
 * tests need no cluster, or test the start of machine mode itself.
 */
const files = globSync('test/{e2e,crash,docs}/*.test.ts', { cwd: repository })
  .filter((file) => readFileSync(join(repository, file), 'utf8').includes('startMachine('))
  .toSorted()
const shared = globSync('test/one-machine/*.test.ts', { cwd: repository }).toSorted()

const options = { skip: noKubectl === false ? cluster.obstacle : noKubectl, timeout: limits.all }
suite('end-to-end tests of machine mode, on a Kubernetes cluster of two nodes', options, () => {
  before(
    async () => {
      // The back-off between restarts of a container reaches 5 minutes otherwise.
      await cluster.up({ nodes: 2, features: 'ImageVolume=true,KubeletCrashLoopBackOffMax=true' })
      await installationOn(cluster, { work }).installCheckout()
      await cluster.createVolumes({ count: 2, gibibytes: 1 })
    },
    { timeout: limits.one },
  )
  after(async () => {
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  })

  for (const group of [...files.map((file) => [file]), shared])
    test(group.length === 1 ? (group[0] ?? '') : 'test/one-machine', { timeout: limits.one }, async (context) => {
      const reporter = ['--test-isolation=none', '--test-reporter=spec', `--test-timeout=${limits.one}`]
      const [program = '', ...args] = cluster.inNetwork([process.execPath, '--test', ...reporter, ...group])
      // `node --test` ignores files when it believes to run within a test.
      const { NODE_TEST_CONTEXT: _, ...inherited } = cluster.environment
      const env = { ...inherited, STEADYVM_EFFORT: 'default' }
      const { code, stdout } = await runCommand(program, args, { env, cwd: repository, timeoutMs: limits.one })
      const count = (of: string): string => new RegExp(`^ℹ ${of} (\\d+)$`, 'm').exec(stdout)?.[1] ?? '?'
      const reasons = new Set([...stdout.matchAll(/# (machine mode only: .*)$/gm)].map(([, reason]) => reason))
      context.diagnostic([`${count('pass')} passed, ${count('skipped')} skipped`, ...reasons].join('; '))
      const failures = stdout.slice(Math.max(0, stdout.indexOf('✖ failing tests:')))
      assert.equal(code, 0, failures.split('\n').slice(-200).join('\n'))
    })
})
