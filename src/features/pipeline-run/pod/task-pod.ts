import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { PlannedTask } from '../graph/plan.ts'
import { completeParams, type ParamValue } from '../manifest/parameter.ts'
import type { Step } from '../manifest/task.ts'
import { attemptDeadline } from '../run/deadlines.ts'
import type { Progress } from '../run/progress.ts'
import type { Run } from '../run/run.ts'
import { type TaskStates } from '../run/states.ts'
import { pipelineValues } from '../run/values.ts'
import { substituteDeep, substituteList, substituteText, substituteValue, type ValueOf } from '../substitution/substitute.ts'
import { attemptAnnotation, collectorName, ownerOf, podName, runLabel, taskLabel, taskRunUid } from './names.ts'
import { boundWorkspaces, resultsFolder, resultsVolume, scriptAnnotation, scriptsFolder, taskVolumes } from './volumes.ts'

/** An attempt to be started. */
export interface AttemptInput {
  readonly run: Run
  readonly progress: Progress
  readonly states: TaskStates
  readonly task: PlannedTask
  readonly attempt: number
  readonly now: number
}

/**
 * Returns the pod of an attempt. Kubernetes itself runs its steps one after another: all but the
 * last container are init containers. With results, the last one reads them from the volume in
 * which steps have written them, and leaves them as its termination message. Pure. @throws
 * ReferenceUnresolved, ManifestInvalid
 */
export function taskPod(input: AttemptInput): Pod {
  const { run, task, attempt, now, progress } = input
  const { plan } = run
  const name = podName(run, task.name, attempt)
  const params = paramsOf(input)
  const workspaces = boundWorkspaces(task, run, pipelineValues(run, progress, input.states, task))
  const values = valuesInTask(input, params, workspaces)
  const steps = task.spec.steps.map((step, index) => stepContainer(step, index, values))
  const scripts = task.spec.steps.flatMap(({ script }, index) =>
    script === undefined ? [] : [[scriptAnnotation(index), runnable(substituteText(script, values))] as const],
  )
  const { volumes, mounts } = taskVolumes(task, workspaces, scripts.length > 0 ? steps.length : 0)
  const hasResults = task.spec.results.length > 0
  const all = [
    ...steps.map((step) => ({ ...step, volumeMounts: [...mounts, ...(step.volumeMounts ?? [])] })),
    ...(hasResults ? [collector(plan.collectorImage, steps.length + 1)] : []),
  ]
  const deadline = attemptDeadline(plan, progress, task, { startedAt: now }, now)
  const serviceAccountName = plan.serviceAccounts[task.name] ?? plan.serviceAccounts['']
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: run.namespace,
      labels: { 'app.kubernetes.io/managed-by': 'steadyvm', [runLabel]: run.name, [taskLabel]: task.name },
      annotations: { [attemptAnnotation]: String(attempt), ...Object.fromEntries(scripts) },
      ownerReferences: [ownerOf(run)],
    },
    spec: {
      enableServiceLinks: false,
      ...plan.podTemplates?.[''],
      ...plan.podTemplates?.[task.name],
      restartPolicy: 'Never',
      // Holds also while no one watches the run.
      ...(deadline === Infinity ? {} : { activeDeadlineSeconds: Math.max(1, Math.ceil((deadline - now) / 1000)) }),
      ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
      initContainers: all.slice(0, -1),
      containers: all.slice(-1),
      volumes: [...substituteDeep(task.spec.volumes, values), ...volumes],
    },
  }
}

function paramsOf({ run, progress, states, task }: AttemptInput): Readonly<Record<string, ParamValue>> {
  const values = pipelineValues(run, progress, states, task)
  const given = Object.fromEntries(task.params.map(({ name, value }) => [name, substituteValue(value, values)]))
  return completeParams(`Task "${task.name}"`, task.spec.params, given)
}

function valuesInTask(
  { run, task, attempt }: AttemptInput,
  params: Readonly<Record<string, ParamValue>>,
  workspaces: ReturnType<typeof boundWorkspaces>,
): ValueOf {
  const contexts: Readonly<Record<string, string>> = {
    'taskRun.name': `${run.name}-${task.name}`,
    'taskRun.namespace': run.namespace,
    'taskRun.uid': taskRunUid(run, task.name),
    'task.name': task.name,
    'task.retry-count': String(attempt),
  }
  return ({ segments: [root = '', name = '', ...rest] }) => {
    switch (root) {
      case 'params':
        return params[name]
      case 'results':
        return `${resultsFolder}/${name}`
      case 'workspaces': {
        const found = workspaces.find((workspace) => workspace.name === name)
        const texts: Readonly<Record<string, string>> = {
          path: found?.path ?? '',
          bound: String(found !== undefined),
          volume: found?.volume.name ?? '',
          claim: found?.volume.persistentVolumeClaim?.claimName ?? '',
        }
        return texts[rest[0] ?? '']
      }
      case 'context':
        return contexts[[name, ...rest].join('.')]
      default:
        return undefined
    }
  }
}

function stepContainer(step: Step, index: number, values: ValueOf): Container {
  const { script, name, command, args = [], env = [], ...rest } = step
  const literal = escaped(values)
  const program = script === undefined ? command : [`${scriptsFolder}/${index}`]
  return {
    ...substituteDeep(rest, values),
    name: `step-${name}`,
    ...(program === undefined ? {} : { command: substituteList(program, literal) }),
    ...(args.length === 0 ? {} : { args: substituteList(args, literal) }),
    env: substituteDeep(env, literal),
  }
}

/** Kubernetes replaces `$(NAME)` in commands and variables, and would do so within values, too. */
function escaped(values: ValueOf): ValueOf {
  const escape = (text: string): string => text.replaceAll('$', '$$$$')
  return (reference) => {
    const value = values(reference)
    return typeof value === 'object' ? value.map(escape) : value === undefined ? undefined : escape(value)
  }
}

/**
 * Tekton runs scripts without an interpreter of their own by a shell that ends at the first error.
 */
function runnable(script: string): string {
  return script.startsWith('#!') ? script : `#!/bin/sh\nset -e\n${script}`
}

/** Bytes that the kubelet keeps of the termination messages of a pod, and of each of them. */
const messageBytes = { pod: 12_288, container: 4_096 }

function collector(image: string, containers: number): Container {
  const limit = Math.min(messageBytes.container, Math.floor(messageBytes.pod / containers))
  return {
    name: collectorName,
    image,
    args: ['collect-results', String(limit)],
    // What it says when it fails is in its log.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    env: [{ name: 'STEADYVM_RESULTS_DIRECTORY', value: resultsFolder }],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: resultsVolume, mountPath: resultsFolder }],
  }
}
