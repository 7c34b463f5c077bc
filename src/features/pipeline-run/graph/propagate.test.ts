import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { makePlan, readPipelineManifest, type RunPlan, type RunRequest } from '../index.ts'
import { pipelineManifest } from '../pipeline.fixture.ts'
import { declareGiven } from './propagate.ts'

const nothing = { params: {}, workspaces: {} }

/** Plans a pipeline that is written in a run. */
function planOf(spec: object, given: Pick<RunRequest, 'params' | 'workspaces'> = nothing): RunPlan {
  const subject = 'PipelineRun "r"'
  const read = declareGiven(readPipelineManifest(subject, pipelineManifest(spec)), given)
  const rest = { timeouts: {}, serviceAccounts: {}, collectorImage: 'i' }
  return makePlan({ subject, pipeline: 'p', spec: read, taskNamed: () => undefined, ...given, ...rest })
}
const script = (text: string, more: object = {}): object => ({ steps: [{ name: 's', image: 'i', script: text }], ...more })

suite('values of a run', () => {
  test('reach Tasks in place without a declaration', () => {
    const taskSpec = script('echo $(params.word) >$(workspaces.shared.path)/x', {
      steps: [{ name: 's', image: 'i', args: ['$(params.list[*])'] }],
    })
    const used = { ...taskSpec, volumes: [{ name: 'v', configMap: { name: '$(params.word)' } }] }
    const plan = planOf(
      { tasks: [{ name: 'a', taskSpec: used }] },
      { params: { word: 'w', list: ['x', 'y'], unused: 'u' }, workspaces: { shared: { kind: 'emptydir' } } },
    )
    const [task] = plan.tasks
    assert.deepEqual(task?.params, [
      { name: 'word', value: '$(params["word"])' },
      { name: 'list', value: ['$(params["list"][*])'] },
    ])
    assert.deepEqual(plan.params, { word: 'w', list: ['x', 'y'], unused: 'u' })
  })

  test('reach workspaces that a Task in place uses', () => {
    const tasks = [{ name: 'a', taskSpec: script('ls $(workspaces.shared.path)') }]
    const [task] = planOf({ tasks }, { params: {}, workspaces: { shared: { kind: 'claim', name: 'c' } } }).tasks
    assert.deepEqual(task?.workspaces, [{ name: 'shared', workspace: 'shared' }])
  })

  test('do not replace what a Task declares, or is given', () => {
    const own = { params: [{ name: 'word', default: 'own' }] }
    const plan = planOf(
      {
        tasks: [
          { name: 'own', taskSpec: script('echo $(params.word)', own) },
          { name: 'given', taskSpec: script('echo $(params.word)'), params: [{ name: 'word', value: 'given' }] },
        ],
      },
      { params: { word: 'of the run' }, workspaces: {} },
    )
    assert.deepEqual(
      plan.tasks.map(({ params }) => params),
      [[], [{ name: 'word', value: 'given' }]],
    )
  })

  test('that are missing are refused', () => {
    assert.throws(() => planOf({ tasks: [{ name: 'a', taskSpec: script('echo $(params.word)') }] }), /no parameter "word"/)
  })
})
