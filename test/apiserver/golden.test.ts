// Takes longer than 45 s: it holds hundreds of command lines to what kubectl prints.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sample, seed } from '../support/effort.ts'
import { kubectlsUnderTest, noKubectl, runCommand } from '../support/kubectl.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { readGoldenFile, runStep } from './golden-file.ts'

const folder = join(import.meta.dirname, 'golden')
const files = readdirSync(folder).filter((name) => name.endsWith('.golden'))
const kubectls = kubectlsUnderTest()
/** Topics that the long tier tests with every kubectl. */
const withEvery: readonly string[] = ['access', 'apply', 'custom-resources', 'objects', 'server']
/** Topics to test with the newest kubectl. */
const withNewest = sample(
  files.map((file) => basename(file, '.golden')),
  3,
)

/** Reports whether a topic is tested with a version. */
function isTried(version: string, topic: string): boolean {
  if (version === kubectls.at(-1)?.version) return withNewest.includes(topic)
  return version === kubectls[0]?.version || withEvery.includes(topic)
}

// Scripts depend on the output and exit code of every kubectl. Each topic has its own namespace for
// each version, so that it can run alone; versions run one after the other, because some objects
// have no namespace.
suite(`kubectl prints what it prints against kube-apiserver (seed ${seed}):`, { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    // An image is a folder: what runs in it is the machine's own.
    mkdirSync(join(machine.home, 'images', 'tools/shell', 'v1'), { recursive: true })
    await machine.kubectl(['apply', '-f', join(folder, 'manifests', 'widgets-crd.yaml')])
    await machine.kubectl(['wait', '--for=condition=Established', 'crd/gadgets.golden.example'])
  })
  after(() => machine[Symbol.asyncDispose]())

  for (const { path, version } of kubectls) {
    // Topics know nothing of each other, so that both cores of a small machine have work; the lines
    // of one come in their order.
    suite(version, { concurrency: 2 }, () => {
      for (const file of files.filter((name) => isTried(version, basename(name, '.golden')))) {
        const namespace = `golden-${version.replace('.', '-')}-${basename(file, '.golden')}`
        suite(file, { concurrency: 1 }, () => {
          before(async () => {
            await machine.kubectl(['create', 'namespace', namespace])
            await machine.kubectl(['wait', '-n', namespace, '--for=create', 'sa/default', 'cm/kube-root-ca.crt', '--timeout=10s'])
          })
          after(() => machine.kubectl(['delete', 'namespace', namespace, '--wait=false']))

          for (const step of readGoldenFile(join(folder, file), { version, namespace })) {
            test(step.command, async () => {
              const { difference } = await runStep(step, namespace, (args, env) =>
                runCommand(path, ['--cache-dir', join(machine.home, `cache-${version}`), ...args], {
                  env: { ...machine.env, ...env },
                  cwd: join(folder, 'manifests'),
                }),
              )
              assert.equal(difference, '')
            })
          }
        })
      }
    })
  }
})
