import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { noKubectl, runCommand } from '../support/kubectl.ts'
import { knownFailures } from './conformance/known-failures.ts'
import type { SpecResult } from './conformance/run-specs.ts'
import { programPath } from './programs/build.ts'
import { foldersOf } from './settings.ts'

const { programs } = foldersOf({})
const needed = ['agnhost', 'e2e.test', 'etcd', 'pause', 'sample-apiserver']
const missing = needed.filter((name) => !existsSync(programPath(programs, name)))
const obstacle =
  process.getuid?.() !== 0
    ? 'needs root, for namespaces of its own'
    : missing.length > 0 && `${missing.join(', ')} missing in ${programs}: run "node test/kubernetes/cluster.ts build ${needed.join(' ')}"`

const runs = [
  { name: 'conformance of sig-api-machinery', focus: String.raw`\[sig-api-machinery\].*\[Conformance\]`, skip: undefined },
  { name: 'conformance of sig-apps', focus: String.raw`\[sig-apps\].*\[Conformance\]`, skip: undefined },
  { name: 'conformance of sig-auth', focus: String.raw`\[sig-auth\].*\[Conformance\]`, skip: undefined },
  { name: 'conformance of sig-cli', focus: String.raw`\[sig-cli\].*\[Conformance\]`, skip: undefined },
  {
    name: 'other specs of sig-api-machinery and sig-auth',
    focus: String.raw`\[sig-(api-machinery|auth)\]`,
    // Features that Kubernetes has switched off, faults of machines and etcd, a spec that upstream
    // calls flaky, and one that takes 20 minutes.
    skip: String.raw`\[Conformance\]|OffByDefault|\[Disruptive\]|\[Flaky\]|\[Slow\]|DynamicResourceAllocation|StorageVersionAPI`,
  },
]

const work = await mkdtemp(join(tmpdir(), 'steadyvm-conformance-'))
const reasonOf = (name: string): string | undefined => knownFailures.find(({ spec }) => name.includes(spec))?.reason
const seen = new Set<string>()

// Each run has a machine and a network of its own, and waits most of the time.
suite("Kubernetes' end-to-end tests on machine mode", { skip: noKubectl === false ? obstacle : noKubectl, concurrency: 3 }, () => {
  for (const { name, focus, skip } of runs) {
    test(`${name}: all pass but those of the table`, { timeout: 55 * 60_000 }, async (context) => {
      const results = await runOnOwnMachine(name, focus, skip)
      for (const result of results) seen.add(result.name)
      const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((state) =>
        results.filter((one) => one.state === state),
      )
      const counts = `${passed?.length} of ${results.length} passed, ${failed?.length} failed, ${skipped?.length} skipped themselves`
      context.diagnostic(`${name}: ${counts}`)
      for (const result of failed ?? []) context.diagnostic(`${result.name}: ${reasonOf(result.name) ?? result.message}`)
      const unexpected = (failed ?? []).filter((one) => reasonOf(one.name) === undefined)
      assert.deepEqual(
        unexpected.map((one) => `${one.name}: ${one.message}`),
        [],
      )
      const mended = (passed ?? []).filter((one) => reasonOf(one.name) !== undefined)
      assert.deepEqual(
        mended.map((one) => one.name),
        [],
        'in the table of known failures, but passed',
      )
      assert.notEqual(passed?.length, 0)
    })
  }

  after(async () => {
    await rm(work, { recursive: true })
    const gone = knownFailures.filter(({ spec }) => ![...seen].some((name) => name.includes(spec)))
    assert.deepEqual(gone, [], 'known failures of specs that do not exist')
  })
})

async function runOnOwnMachine(name: string, focus: string, skip: string | undefined): Promise<readonly SpecResult[]> {
  const folder = await mkdtemp(join(work, 'run-'))
  const script = join(import.meta.dirname, 'conformance', 'run.ts')
  const options = ['--work', folder, '--minutes', '50', ...(skip === undefined ? [] : ['--skip', skip])]
  const { code, stdout, stderr } = await runCommand(process.execPath, [script, ...options, focus], { timeoutMs: 54 * 60_000 })
  assert.equal(code, 0, `${name}: ${stdout}${stderr}`)
  return JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')) as SpecResult[]
}
