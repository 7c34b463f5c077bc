import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { findKubectls, noKubectl, runCommand } from '../support/kubectl.ts'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { differenceTo, normaliseOutput, readGoldenFile } from './golden-file.ts'

const folder = join(import.meta.dirname, 'golden')
const files = readdirSync(folder).filter((name) => name.endsWith('.golden'))

// What every kubectl prints, and how it ends, is the contract that people script against. Each version has a namespace of its own.
suite('kubectl prints what it prints against kube-apiserver:', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await machine.kubectl(['apply', '-f', join(folder, 'manifests', 'widgets-crd.yaml')])
    await machine.kubectl(['wait', '--for=condition=Established', 'crd/gadgets.golden.example'])
  })
  after(() => machine[Symbol.asyncDispose]())

  for (const { path, version } of findKubectls()) {
    const namespace = `golden-${version.replace('.', '-')}`
    suite(version, () => {
      before(async () => {
        await machine.kubectl(['create', 'namespace', namespace])
        await machine.kubectl(['wait', '-n', namespace, '--for=create', 'sa/default', '--timeout=10s'])
      })
      for (const file of files) {
        for (const step of readGoldenFile(join(folder, file), { version, namespace })) {
          test(`${file}: ${step.command}`, async () => {
            const args = ['--cache-dir', join(machine.home, `cache-${version}`), '-n', namespace, ...step.args]
            const result = await runCommand(path, args, { env: machine.env, cwd: join(folder, 'manifests') })
            const actual = normaliseOutput(result.stdout + result.stderr, { namespace })
            const difference = differenceTo(step.expected, actual)
            assert.equal(difference ?? '', '')
            assert.equal(result.code, step.code, `exit code: ${actual.join('\n')}`)
          })
        }
      }
    })
  }
})
