import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { planOf, runOf } from '../pipeline.fixture.ts'
import { newProgress } from '../run/progress.ts'
import type { RunPlan } from '../graph/plan.ts'
import { taskPod } from './task-pod.ts'

const now = 1_000

function podOf(taskSpec: object, { more = {}, ...options }: Parameters<typeof planOf>[1] & { more?: object } = {}): Pod {
  const workspaces = ((taskSpec as { workspaces?: readonly { name: string }[] }).workspaces ?? []).map(({ name }) => ({ name }))
  const plan: RunPlan = planOf(
    {
      workspaces: workspaces.map((one) => ({ ...one, optional: true })),
      tasks: [{ name: 'build', taskSpec, workspaces, ...more }],
    },
    options,
  )
  const [task] = plan.tasks
  assert.ok(task !== undefined)
  return taskPod({ run: runOf(plan), progress: newProgress(0), states: new Map(), task, attempt: 1, now })
}

test('steps are init containers in order, and the last container collects the results', () => {
  const { spec, metadata } = podOf({
    results: [{ name: 'r' }],
    steps: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ],
  })
  assert.deepEqual(
    [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name),
    ['step-a', 'step-b', 'collect-results'],
  )
  assert.equal(spec.restartPolicy, 'Never')
  assert.deepEqual(spec.initContainers?.[0]?.volumeMounts, [{ name: 'tekton-internal-results', mountPath: '/tekton/results' }])
  assert.match(metadata.name ?? '', /^demo-build-[0-9a-f]{8}$/)
  assert.equal(metadata.annotations?.['steadyvm.io/pipeline-attempt'], '1')
  assert.equal(metadata.ownerReferences?.[0]?.uid, 'u-1')
})

test('without results, the last step is the last container', () => {
  const { spec } = podOf({
    steps: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ],
  })
  assert.deepEqual([spec.initContainers?.map(({ name }) => name), spec.containers.map(({ name }) => name)], [['step-a'], ['step-b']])
  assert.deepEqual(spec.volumes, [])
})

test('values are replaced, and Kubernetes does not replace within them', () => {
  const value = 'a $(HOME) $$ $x'
  const { spec, metadata } = podOf({
    params: [
      { name: 'p', default: value },
      { name: 'l', type: 'array', default: ['1', '$(2)'] },
    ],
    results: [{ name: 'r' }],
    steps: [
      {
        name: 's',
        image: 'i:$(context.task.retry-count)',
        script: 'echo "$(params.p)" > $(results.r.path)',
        args: ['$(OWN)', '$(params.l[*])'],
        env: [{ name: 'P', value: '$(params.p)' }],
      },
    ],
  })
  const [step] = spec.initContainers ?? []
  assert.equal(step?.image, 'i:1')
  assert.deepEqual(step?.args, ['$(OWN)', '1', '$$(2)'])
  assert.deepEqual(step?.env, [{ name: 'P', value: 'a $$(HOME) $$$$ $$x' }])
  assert.deepEqual(step?.command, ['/tekton/scripts/0'])
  assert.equal(metadata.annotations?.['steadyvm.io/script-0'], `#!/bin/sh\nset -e\necho "${value}" > /tekton/results/r`)
  const scripts = spec.volumes?.find(({ name }) => name === 'tekton-internal-scripts')
  assert.deepEqual(scripts?.downwardAPI?.items, [
    { path: '0', mode: 0o755, fieldRef: { fieldPath: "metadata.annotations['steadyvm.io/script-0']" } },
  ])
})

test('workspaces are volumes, and steps know their paths', () => {
  const { spec } = podOf(
    {
      workspaces: [{ name: 'data' }, { name: 'keys', mountPath: '/keys' }, { name: 'none', optional: true }],
      steps: [
        {
          name: 's',
          image: 'i',
          args: [
            '$(workspaces.data.path)',
            '$(workspaces.keys.path)',
            '<$(workspaces.none.path)>',
            '$(workspaces.none.bound)',
            '$(workspaces.data.claim)',
          ],
        },
      ],
    },
    { workspaces: { data: { kind: 'claim', name: 'disk', subPath: 'in' }, keys: { kind: 'secret', name: 'ssh' } } },
  )
  assert.deepEqual(spec.containers[0]?.args, ['/workspace/data', '/keys', '<>', 'false', 'disk'])
  assert.deepEqual(spec.containers[0]?.volumeMounts, [
    { name: 'tekton-internal-workspace-0', mountPath: '/workspace/data', subPath: 'in' },
    { name: 'tekton-internal-workspace-1', mountPath: '/keys', readOnly: true },
  ])
  assert.deepEqual(
    spec.volumes?.map(({ persistentVolumeClaim, secret }) => persistentVolumeClaim?.claimName ?? secret?.secretName),
    ['disk', 'ssh'],
  )
})

test('the pod ends at its limit even when no one watches', () => {
  const steps = [{ name: 's', image: 'i' }]
  assert.equal(podOf({ steps }).spec.activeDeadlineSeconds, undefined)
  assert.equal(podOf({ steps }, { more: { timeout: '90s' } }).spec.activeDeadlineSeconds, 90)
  assert.equal(podOf({ steps }, { more: { timeout: '90s' }, timeouts: { pipeline: 91_000, tasks: 90_000 } }).spec.activeDeadlineSeconds, 89)
})

test('a pod has the template of its run, and that of its task before it, but ends as a task does', () => {
  const plan: RunPlan = {
    ...planOf({ tasks: [{ name: 'build', taskRef: { name: 'work' } }] }),
    podTemplates: { '': { nodeSelector: { disk: 'fast' }, hostNetwork: true }, build: { hostNetwork: false } },
  }
  const [task] = plan.tasks
  assert.ok(task !== undefined)
  const { spec } = taskPod({ run: runOf(plan), progress: newProgress(0), states: new Map(), task, attempt: 0, now })
  assert.deepEqual([spec.nodeSelector, spec.hostNetwork, spec.restartPolicy], [{ disk: 'fast' }, false, 'Never'])
})
