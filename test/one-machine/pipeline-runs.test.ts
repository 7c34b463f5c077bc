import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { thisRelease } from '#machine/release/release.ts'
import { noKubectl } from '../support/kubectl.ts'
import type { TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'

const apiVersion = 'tekton.dev/v1'
const image = `steadyvm.io/steadyvm-tasks:${thisRelease().version}`
const workspaces = [{ name: 'shared' }]
const task = (name: string, script: string, more: object = {}): object => ({
  name,
  taskSpec: { params: [{ name: 'word' }], workspaces, results: [{ name: 'text' }], steps: [{ name: 'run', image, script }] },
  params: [{ name: 'word', value: '$(params.word)' }],
  workspaces,
  ...more,
})
const pipeline = {
  apiVersion,
  kind: 'Pipeline',
  metadata: { name: 'pass-on' },
  spec: {
    params: [{ name: 'word' }],
    workspaces,
    tasks: [
      task('write', 'printf %s "$(params.word)" >$(workspaces.shared.path)/word; printf done >$(results.text.path)'),
      task('read', 'cp $(workspaces.shared.path)/word $(results.text.path)', { runAfter: ['write'] }),
    ],
    results: [{ name: 'text', value: '$(tasks.read.results.text)' }],
  },
}
const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } }
const run = {
  apiVersion,
  kind: 'PipelineRun',
  metadata: { generateName: 'pass-on-' },
  spec: {
    pipelineRef: { name: 'pass-on' },
    params: [{ name: 'word', value: 'of the file' }],
    workspaces: [{ name: 'shared', volumeClaimTemplate: { spec } }],
    timeouts: { pipeline: '10m' },
  },
}

suite('PipelineRuns and TaskRuns in files', { skip: noKubectl }, () => {
  let machine: TestMachine
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'runs-'))
    for (const [name, object] of Object.entries({ pipeline, run })) await writeFile(join(folder, `${name}.json`), JSON.stringify(object))
    machine = await useNamespace()
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const steadyvm = async (...args: readonly string[]): Promise<{ stdout: string; stderr: string }> => {
    const { code, stdout, stderr } = await machine.steadyvm(...args, '-n', machine.namespace)
    assert.equal(code, 0, `steadyvm ${args.join(' ')}: ${stdout}${stderr}`)
    return { stdout, stderr }
  }
  const file = (name: string): string => join(folder, `${name}.json`)
  const count = async (kind: string): Promise<number> =>
    (await machine.kubectl(['get', kind, '-l', 'app.kubernetes.io/managed-by=steadyvm', '-o', 'name'])).split('\n').filter(Boolean).length

  test('a dry run prints the plan, and creates nothing', async () => {
    const { stdout } = await steadyvm('pipeline', 'run', file('pipeline'), file('run'), '--dry-run')
    assert.match(stdout, /^write +at once +0 +-/m)
    assert.match(stdout, /^read +write +0 +-/m)
    assert.deepEqual([await count('configmap'), await count('pvc'), await count('pod')], [0, 0, 0])
  })

  test('a run has a claim of its own, which goes with it; flags come before the file', async () => {
    const { stdout } = await steadyvm('pipeline', 'run', file('pipeline'), file('run'), '--name', 'mine', '-p', 'word=of the flag')
    assert.match(stdout, /^text +of the flag$/m)
    assert.equal(await count('pvc'), 1)
    await steadyvm('pipeline', 'delete', 'mine')
    await machine.kubectl(['wait', 'pvc', '-l', 'steadyvm.io/pipeline-run=mine', '--for=delete', '--timeout=60s'])
  })

  test('a TaskRun runs its Task', async () => {
    const taskSpec = { results: [{ name: 'text' }], steps: [{ name: 'run', image, script: 'printf hello >$(results.text.path)' }] }
    const object = { apiVersion, kind: 'TaskRun', metadata: { name: 'greet' }, spec: { taskSpec, timeout: '5m', retries: 1 } }
    await writeFile(file('task-run'), JSON.stringify(object))
    const { stdout } = await steadyvm('task', 'run', file('task-run'))
    assert.match(stdout, /^text +hello$/m)
    assert.match((await steadyvm('pipeline', 'list')).stdout, /^greet +greet +Succeeded/m)
  })
})
