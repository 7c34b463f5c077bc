import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ManifestInvalid } from './fields.ts'
import { readPipelineRunManifest, readTaskRunManifest } from './read-manifest.ts'
import type { PipelineRunManifest, TaskRunManifest } from './run-manifest.ts'

const pipelineRun = (spec: object, apiVersion = 'tekton.dev/v1'): PipelineRunManifest =>
  readPipelineRunManifest('PipelineRun "r"', { apiVersion, kind: 'PipelineRun', metadata: { name: 'r' }, spec })
const taskRun = (spec: object): TaskRunManifest =>
  readTaskRunManifest('TaskRun "r"', { apiVersion: 'tekton.dev/v1', kind: 'TaskRun', metadata: { name: 'r' }, spec })

const pipelineRef = { name: 'p' }
const taskRef = { name: 't' }
const hub = (catalog: string, kind: string): object => ({
  resolver: 'hub',
  params: Object.entries({ catalog, type: 'artifact', kind, name: 'x', version: '1' }).map(([name, value]) => ({ name, value })),
})
const nothing = { params: {}, workspaces: {}, timeouts: {}, serviceAccounts: {}, podTemplates: {} }

suite('a PipelineRun', () => {
  test('of v1 gives all that a run needs', () => {
    const run = pipelineRun({
      pipelineRef,
      params: [
        { name: 'eula', value: false },
        { name: 'list', value: ['a', 'b'] },
      ],
      timeouts: { pipeline: '2h', tasks: '1h30m', finally: '10m' },
      taskRunTemplate: { serviceAccountName: 'all', podTemplate: { nodeSelector: { disk: 'fast' } } },
      taskRunSpecs: [{ pipelineTaskName: 'a', serviceAccountName: 'own', podTemplate: { securityContext: { fsGroup: 107 } } }],
      workspaces: [
        { name: 'claim', persistentVolumeClaim: { claimName: 'c' }, subPath: 'in' },
        { name: 'made', volumeClaimTemplate: { metadata: { name: 'x' }, spec: { accessModes: ['ReadWriteOnce'] } } },
        { name: 'empty', emptyDir: {} },
        { name: 'map', configMap: { name: 'm' } },
        { name: 'hidden', secret: { secretName: 's' } },
      ],
    })
    assert.deepEqual(run, {
      pipeline: { kind: 'reference', name: 'p' },
      params: { eula: 'false', list: ['a', 'b'] },
      timeouts: { timeout: '2h', tasksTimeout: '1h30m', finallyTimeout: '10m' },
      serviceAccounts: { '': 'all', a: 'own' },
      podTemplates: { '': { nodeSelector: { disk: 'fast' } }, a: { securityContext: { fsGroup: 107 } } },
      workspaces: {
        claim: { kind: 'claim', name: 'c', subPath: 'in' },
        made: { kind: 'template', spec: { accessModes: ['ReadWriteOnce'] } },
        empty: { kind: 'emptydir' },
        map: { kind: 'configmap', name: 'm' },
        hidden: { kind: 'secret', name: 's' },
      },
    })
  })

  test('of v1beta1 has other names for the same', () => {
    const taskRunSpecs = [{ pipelineTaskName: 'a', taskServiceAccountName: 'own', taskPodTemplate: { hostNetwork: true } }]
    const run = pipelineRun({ pipelineRef, serviceAccountName: 'all', timeout: '1h0m0s', taskRunSpecs }, 'tekton.dev/v1beta1')
    assert.deepEqual(run, {
      ...nothing,
      pipeline: { kind: 'reference', name: 'p' },
      timeouts: { timeout: '1h0m0s' },
      serviceAccounts: { '': 'all', a: 'own' },
      podTemplates: { a: { hostNetwork: true } },
    })
  })

  test('may hold its Pipeline, or name one that is shipped', () => {
    const tasks = [{ name: 'a', taskRef }]
    assert.equal(pipelineRun({ pipelineSpec: { tasks } }).pipeline.kind, 'spec')
    assert.deepEqual(pipelineRun({ pipelineRef: hub('kubevirt-tekton-pipelines', 'pipeline') }).pipeline, { kind: 'reference', name: 'x' })
  })
})

test('a TaskRun gives all that a run needs', () => {
  const run = taskRun({ taskRef: hub('kubevirt-tekton-tasks', 'task'), retries: 2, timeout: '5m', serviceAccountName: 'own' })
  const task = { kind: 'reference', name: 'x' }
  assert.deepEqual(run, { ...nothing, task, retries: 2, timeouts: { timeout: '5m' }, serviceAccounts: { '': 'own' } })
  assert.equal(taskRun({ taskSpec: { steps: [{ name: 's', image: 'i' }] } }).task.kind, 'spec')
})

const refused: readonly (readonly [what: string, spec: object, field: string])[] = [
  ['neither reference nor spec', {}, 'spec'],
  ['another resolver', { pipelineRef: { resolver: 'git' } }, 'spec.pipelineRef.resolver'],
  ['another catalog', { pipelineRef: hub('other', 'pipeline') }, 'spec.pipelineRef.resolver'],
  ['a bundle', { pipelineRef: { name: 'p', bundle: 'b' } }, 'spec.pipelineRef.bundle'],
  ['a state', { pipelineRef, status: 'Cancelled' }, 'spec.status'],
  ['an invalid limit', { pipelineRef, timeouts: { tasks: 'soon' } }, 'spec.timeouts.tasks'],
  ['a workspace without a volume', { pipelineRef, workspaces: [{ name: 'w' }] }, 'spec.workspaces[0]'],
  ['a projected workspace', { pipelineRef, workspaces: [{ name: 'w', projected: {} }] }, 'spec.workspaces[0].projected'],
  [
    'labels of a claim',
    { pipelineRef, workspaces: [{ name: 'w', volumeClaimTemplate: { metadata: { labels: {} }, spec: {} } }] },
    'spec.workspaces[0].volumeClaimTemplate.metadata.labels',
  ],
  [
    'resources of a task',
    { pipelineRef, taskRunSpecs: [{ pipelineTaskName: 'a', computeResources: {} }] },
    'spec.taskRunSpecs[0].computeResources',
  ],
  ['variables of pods', { pipelineRef, taskRunTemplate: { podTemplate: { env: [] } } }, 'spec.taskRunTemplate.podTemplate.env'],
  ['an unknown field', { pipelineRef, colour: 'red' }, 'spec.colour'],
]
for (const [what, spec, field] of refused)
  test(`${what} of a PipelineRun is refused by its path`, () => {
    assert.throws(
      () => pipelineRun(spec),
      (error) => {
        assert.ok(error instanceof ManifestInvalid)
        assert.deepEqual(
          error.faults.map((fault) => fault.field),
          [field],
        )
        return true
      },
    )
  })
