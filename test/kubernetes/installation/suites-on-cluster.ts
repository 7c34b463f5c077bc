import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noKubectl, runCommand } from '../../support/kubectl.ts'
import { repository } from '../../support/machine.ts'
import { KubernetesCluster } from '../kubernetes-cluster.ts'
import { foldersOf } from '../settings.ts'
import { installationOn } from './installation.ts'

/** Milliseconds for all files, and for one process. */
const limits = { all: 3_500_000, one: 900_000 }

/**
 * Defines a suite that runs end-to-end tests against a Kubernetes cluster of two nodes. Files of a
 * group run in one process.
 *
 * @param groups by their titles
 */
export async function suitesOnCluster(title: string, groups: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'steadyvm-suites-'))
  const cluster = new KubernetesCluster(foldersOf({ home: join(work, 'cluster') }), () => {})
  const options = { skip: noKubectl === false ? cluster.obstacle : noKubectl, timeout: limits.all }
  suite(`${title}, on a Kubernetes cluster of two nodes`, options, () => {
    before(
      async () => {
        // The back-off between restarts of a container reaches 5 minutes otherwise.
        await cluster.up({ nodes: 2, features: 'ImageVolume=true,KubeletCrashLoopBackOffMax=true' })
        await installationOn(cluster, { work }).installCheckout()
      },
      { timeout: limits.one },
    )
    after(async () => {
      await cluster.down({ data: true })
      await rm(work, { recursive: true, force: true })
    })

    for (const [name, files] of Object.entries(groups))
      test(name, { timeout: limits.one }, async (context) => {
        const reporter = ['--test-isolation=none', '--test-reporter=spec', `--test-timeout=${limits.one}`]
        const [program = '', ...args] = cluster.inNetwork([process.execPath, '--test', ...reporter, ...files])
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
}
