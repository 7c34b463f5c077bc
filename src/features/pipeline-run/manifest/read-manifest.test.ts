import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManifestInvalid } from '../index.ts'
import { pipelineManifest, planOf, taskManifest } from '../pipeline.fixture.ts'
import { readPipelineManifest, readTaskManifest, singleTaskPipeline } from './read-manifest.ts'

const ref = { taskRef: { name: 'work' } }

/** Returns the paths of the faults. */
function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ManifestInvalid) return error.faults.map(({ field }) => field)
    throw error
  }
  return []
}

const task = (spec: object): (() => unknown) => {
  const steps = [{ name: 'a', image: 'i' }]
  return () => readTaskManifest('Task', { apiVersion: 'tekton.dev/v1', spec: { steps, ...spec } })
}
const step = (more: object): (() => unknown) => task({ steps: [{ name: 'a', image: 'i', ...more }] })
const pipeline =
  (spec: object): (() => unknown) =>
  () =>
    readPipelineManifest('Pipeline', pipelineManifest(spec))
const one = (more: object): (() => unknown) => pipeline({ tasks: [{ name: 'a', ...ref, ...more }] })
const hub = (catalog: string): object => ({
  resolver: 'hub',
  params: [
    { name: 'catalog', value: catalog },
    { name: 'name', value: 'work' },
  ],
})

const refused: readonly (readonly [name: string, read: () => unknown, field: string])[] = [
  ['sidecars', task({ sidecars: [{ name: 's' }] }), 'spec.sidecars'],
  ['an unknown field', task({ colour: 'red' }), 'spec.colour'],
  ['no step', task({ steps: [] }), 'spec.steps'],
  ['no image', task({ steps: [{ name: 'a' }] }), 'spec.steps[0].image'],
  ['an object parameter', task({ params: [{ name: 'o', type: 'object' }] }), 'spec.params[0].type'],
  ['a default of the wrong type', task({ params: [{ name: 'o', type: 'string', default: ['a'] }] }), 'spec.params[0].default'],
  ['a parameter twice', task({ params: [{ name: 'o' }, { name: 'o' }] }), 'spec.params[1].name'],
  ['a result of a step', task({ results: [{ name: 'r', value: '$(steps.a.results.r)' }] }), 'spec.results[0].value'],
  ['an object result', task({ results: [{ name: 'r', type: 'object' }] }), 'spec.results[0].type'],
  ['a StepAction', step({ ref: { name: 'x' } }), 'spec.steps[0].ref'],
  ['onError of a step', step({ onError: 'continue' }), 'spec.steps[0].onError'],
  ['a script and a command', step({ script: 'true', command: ['true'] }), 'spec.steps[0].script'],
  ['a time limit of a step', step({ timeout: '1s' }), 'spec.steps[0].timeout'],
  ['a probe', step({ livenessProbe: {} }), 'spec.steps[0].livenessProbe'],
  ['a matrix', one({ matrix: { params: [] } }), 'spec.tasks[0].matrix'],
  ['a CEL condition', one({ when: [{ cel: 'true' }] }), 'spec.tasks[0].when[0].cel'],
  ['another operator', one({ when: [{ input: 'a', operator: 'like', values: ['a'] }] }), 'spec.tasks[0].when[0].operator'],
  ['onError of a task', one({ onError: 'continue' }), 'spec.tasks[0].onError'],
  ['a nested pipeline', one({ pipelineSpec: {} }), 'spec.tasks[0].pipelineSpec'],
  ['an invalid time limit', one({ timeout: 'soon' }), 'spec.tasks[0].timeout'],
  ['another resolver', one({ taskRef: { resolver: 'git' } }), 'spec.tasks[0].taskRef.resolver'],
  ['another catalog', one({ taskRef: hub('other') }), 'spec.tasks[0].taskRef.resolver'],
  ['another kind', one({ taskRef: { name: 'x', kind: 'ClusterTask' } }), 'spec.tasks[0].taskRef.kind'],
  ['a custom task', one({ taskRef: { name: 'x', apiVersion: 'example.org/v1' } }), 'spec.tasks[0].taskRef.apiVersion'],
  ['neither reference nor spec', pipeline({ tasks: [{ name: 'a' }] }), 'spec.tasks[0]'],
  ['an invalid name', one({ name: 'A_b' }), 'spec.tasks[0].name'],
  [
    'order in finally',
    pipeline({ tasks: [{ name: 'a', ...ref }], finally: [{ name: 'b', ...ref, runAfter: ['a'] }] }),
    'spec.finally[0].runAfter',
  ],
  ['a name twice', pipeline({ tasks: [{ name: 'a', ...ref }], finally: [{ name: 'a', ...ref }] }), 'spec.tasks[1].name'],
  ['another API', () => readTaskManifest('Task', { ...taskManifest('x'), apiVersion: 'v1' }), 'apiVersion'],
]

for (const [name, read, field] of refused)
  test(`${name} is refused by its path`, () => {
    assert.deepEqual(faultsOf(read), [field])
  })

test('the catalog that is shipped is found by the hub resolver', () => {
  const { tasks } = readPipelineManifest('Pipeline', pipelineManifest({ tasks: [{ name: 'a', taskRef: hub('kubevirt-tekton-tasks') }] }))
  assert.deepEqual(tasks[0]?.task, { kind: 'reference', name: 'work' })
})

test('steps inherit from the template, and their own fields win', () => {
  const { steps } = readTaskManifest('Task', {
    apiVersion: 'tekton.dev/v1',
    spec: {
      stepTemplate: {
        image: 'common',
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '1' },
        ],
      },
      steps: [{ env: [{ name: 'B', value: 2 }] }, { image: 'own' }],
    },
  })
  assert.deepEqual(
    steps.map(({ name, image, env }) => [name, image, env]),
    [
      [
        'unnamed-0',
        'common',
        [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      ],
      [
        'unnamed-1',
        'own',
        [
          { name: 'A', value: '1' },
          { name: 'B', value: '1' },
        ],
      ],
    ],
  )
})

const a = { name: 'a', ...ref }
const uses = (value: unknown, more: object = {}): object => ({
  params: [
    { name: 'list', type: 'array', default: ['x'] },
    { name: 'text', default: 't' },
  ],
  tasks: [a, { name: 'b', taskRef: { name: 'given' }, params: [{ name: 'x', value }], ...more }],
})
const given = taskManifest('given', { params: [{ name: 'x' }, { name: 'l', type: 'array', default: [] }], results: ['r'] })
const wrongReferences: readonly (readonly [name: string, spec: object, field: string])[] = [
  ['an unknown task', uses('$(tasks.c.results.r)'), 'spec.tasks[1]'],
  ['an unknown result', uses('$(tasks.a.results.no)'), 'spec.tasks[1].params.x'],
  ['an unknown parameter of the pipeline', uses('$(params.no)'), 'spec.tasks[1].params.x'],
  ['an array in a text', uses('a $(params.list[*])'), 'spec.tasks[1].params.x'],
  ['an array without [*]', uses('$(params.list)'), 'spec.tasks[1].params.x'],
  ['an index of a string', uses('$(params.text[0])'), 'spec.tasks[1].params.x'],
  ['the status of a task before finally', uses('$(tasks.a.status)'), 'spec.tasks[1].params.x'],
  ['a context that is none', uses('$(context.node.name)'), 'spec.tasks[1].params.x'],
  ['a list for a string', uses(['a']), 'spec.tasks[1].params.x'],
  [
    'a parameter that the Task does not have',
    uses('x', {
      params: [
        { name: 'y', value: '' },
        { name: 'x', value: '' },
      ],
    }),
    'spec.tasks[1].params.y',
  ],
  ['a parameter that is missing', uses('x', { params: [] }), 'spec.tasks[1].params'],
  ['an unknown predecessor', uses('x', { runAfter: ['c'] }), 'spec.tasks[1].runAfter'],
  ['an unknown workspace of the Task', uses('x', { workspaces: [{ name: 'w' }] }), 'spec.tasks[1].workspaces[0].name'],
  [
    'a circle',
    {
      tasks: [
        { ...a, runAfter: ['b'] },
        { name: 'b', ...ref, runAfter: ['a'] },
      ],
    },
    'spec.tasks',
  ],
  ['an unknown Task', { tasks: [{ name: 'a', taskRef: { name: 'none' } }] }, 'spec.tasks[0].taskRef'],
  ['a wrong result', { tasks: [a], results: [{ name: 'r', value: '$(tasks.a.results.no)' }] }, 'spec.results.r.value'],
  ['a workspace without a volume', { tasks: [a], workspaces: [{ name: 'w' }] }, 'workspaces.w'],
  ['a parameter without a value', { tasks: [a], params: [{ name: 'p' }] }, 'params.p'],
]

for (const [name, spec, field] of wrongReferences)
  test(`${name} is refused before anything runs`, () => {
    const [first] = faultsOf(() => planOf(spec, { tasks: [given] }))
    assert.ok(first === field || first?.startsWith(`${field}[`) === true, `found ${first}`)
  })

test('shell syntax in scripts is left alone, and references in them are checked', () => {
  const withScript = (script: string): object => ({
    tasks: [{ name: 'a', taskSpec: { params: [{ name: 'p', default: '' }], steps: [{ image: 'i', script }] } }],
  })
  assert.deepEqual(
    faultsOf(() => planOf(withScript('echo $(date) $(HOME) ${x} $(params.p)'))),
    [],
  )
  assert.deepEqual(
    faultsOf(() => planOf(withScript('echo $(params.q)'))),
    ['spec.tasks[0].taskSpec.steps[0].script'],
  )
})

test('a Task becomes a Pipeline with the same parameters and results', () => {
  const spec = readTaskManifest('Task', given)
  const plan = planOf({ tasks: [a] })
  assert.equal(plan.tasks.length, 1)
  const single = singleTaskPipeline('given', spec)
  assert.deepEqual(
    single.results.map(({ value }) => value),
    ['$(tasks.given.results["r"])'],
  )
  assert.deepEqual(
    single.tasks[0]?.params.map(({ value }) => value),
    ['$(params["x"])', ['$(params["l"][*])']],
  )
})
