import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { runVariable } from '../objects/created-objects.ts'
import { flagOf } from '../program/parameters.ts'
import type { TaskDefinition, TaskParameter, TaskVolume } from '../task.ts'

/** The release that runs tasks. */
export interface TektonRelease {
  /** `v0.1.0`. */
  readonly version: string
  /** Returns the reference of an image of this release. */
  readonly imageOf: (name: string) => string
}

/**
 * Variables with the run, which retries share, and the pod that an object belongs to on request.
 */
const podVariables = [
  { name: runVariable, value: '$(context.taskRun.uid)' },
  { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
  { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
]

/** The program of all tasks, and the image that has it. */
const program = 'steadyvm-tasks'

/** As PodSecurity's profile "restricted" asks for. */
const securityContext = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

/**
 * Renders the Task of `tekton.dev/v1`: upstream's interface, and one step that is the program. A
 * parameter reaches it by its environment variable, or else by its flag. Pure.
 */
export function tektonTaskOf(task: TaskDefinition, { version, imageOf }: TektonRelease): KubeObject {
  const { name, description, parameters, results, workspaces = [], volumes = [], user, image = program } = task
  const mounts = volumes.map(mountOf)
  return {
    apiVersion: 'tekton.dev/v1',
    kind: 'Task',
    metadata: {
      name,
      labels: { 'app.kubernetes.io/version': version },
      annotations: {
        'tekton.dev/pipelines.minVersion': '0.43.0',
        'tekton.dev/categories': 'Automation',
        'tekton.dev/tags': 'kubevirt',
        'tekton.dev/platforms': 'linux/amd64',
      },
    },
    spec: {
      description,
      params: parameters.map(({ name: parameter, type, description: text, default: value }) => ({
        name: parameter,
        type,
        description: text,
        ...(value === undefined ? {} : { default: value }),
      })),
      ...(results.length === 0 ? {} : { results }),
      ...(workspaces.length === 0 ? {} : { workspaces }),
      steps: [
        {
          name,
          image: imageOf(image),
          command: [program, name],
          ...argsOf(parameters),
          env: [
            ...parameters.flatMap(({ name: parameter, environment }) =>
              environment === undefined ? [] : [{ name: environment, value: `$(params.${parameter})` }],
            ),
            ...Object.entries(task.environment ?? {}).map(([variable, value]) => ({ name: variable, value })),
            ...podVariables,
          ],
          ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
          securityContext: { ...securityContext, ...(user === undefined ? {} : { runAsUser: user, runAsGroup: user }) },
        },
      ],
      ...(volumes.length === 0 ? {} : { volumes: volumes.map(({ name: volume, source }) => ({ name: volume, ...source })) }),
    },
  } as KubeObject
}

/** Flags of parameters without an environment variable, and the words of arrays. */
function argsOf(parameters: readonly TaskParameter[]): { readonly args?: readonly string[] } {
  const flags = parameters
    .filter(({ type, environment }) => type === 'string' && environment === undefined)
    .map((parameter) => `--${flagOf(parameter)}=$(params.${parameter.name})`)
  const words = parameters.filter(({ type }) => type === 'array').map(({ name }) => `$(params.${name}[*])`)
  const args = [...flags, ...(words.length === 0 ? [] : ['--', ...words])]
  return args.length === 0 ? {} : { args }
}

function mountOf({ name, mountPath, readOnly = false }: TaskVolume): object {
  return { name, mountPath, ...(readOnly ? { readOnly } : {}) }
}
