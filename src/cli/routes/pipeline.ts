import { buildCommand, buildRouteMap, type RouteMap } from '@stricli/core'
import type { CliContext } from '../context.ts'
import { allNamespaces, clusterFlags, namespace, output } from './cluster-flags.ts'

const text = (brief: string, placeholder: string) => ({ kind: 'parsed', parse: String, optional: true, brief, placeholder }) as const
const texts = (brief: string, placeholder: string) =>
  ({ kind: 'parsed', parse: String, variadic: true, optional: true, brief, placeholder }) as const

const runFlags = {
  param: texts('Parameter: KEY=VALUE, or KEY=@FILE for the content of a file; an array is a JSON list, or KEY several times', 'key=value'),
  workspace: texts(
    'Workspace: NAME=claim:CLAIM[:FOLDER], NAME=emptydir (of each task its own), NAME=configmap:NAME, NAME=secret:NAME or NAME=folder:/PATH (of the node)',
    'name=volume',
  ),
  serviceAccount: texts(
    'ServiceAccount of all tasks, or TASK=ACCOUNT (default: TASK-task for a shipped Task if it exists, else "default")',
    'account',
  ),
  name: text('Name of the run; the same name again goes on with it (default: a new one)', 'name'),
  registry: text('Registry of the images of shipped Tasks (default: that of the installation)', 'registry'),
  timeout: text('Limit of the run, such as 1h30m; 0 is none (default: 1h, and the limits of its tasks in addition)', 'duration'),
  tasksTimeout: text('Limit of all tasks but finally', 'duration'),
  finallyTimeout: text('Limit of finally (default: what is left of the run, and at least 10 minutes)', 'duration'),
  dryRun: { kind: 'boolean', default: false, brief: 'Check everything and print the plan; nothing is created' },
  namespace,
  output,
  ...clusterFlags,
} as const
const aliases = { p: 'param', w: 'workspace', n: 'namespace', o: 'output' } as const

/** Completes the names of shipped Tasks. */
async function taskNames(partial: string): Promise<string[]> {
  const { shippedNames } = await import('../pipeline/catalogue.ts')
  return (await shippedNames()).filter((name) => name.startsWith(partial))
}

const taskName = { parse: String, brief: 'Name of a shipped Task', placeholder: 'task', proposeCompletions: taskNames } as const

const runTask = buildCommand({
  loader: async () => (await import('../commands/pipeline/run.ts')).runTask,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ ...taskName, brief: 'Name of a shipped Task, or a file with a Task or TaskRun, or -', placeholder: 'task|file' }],
    },
    flags: runFlags,
    aliases,
  },
  docs: {
    brief: 'Run a Task of Tekton without Tekton: one of this release, or that of a file',
    fullDescription: `Run a Task of Tekton without Tekton. Progress and logs are on standard error, results on standard output.

  steadyvm task access modify-data-object | kubectl apply -f -
  steadyvm task run modify-data-object -p manifest=@disk.yaml -p waitForSuccess=true

Exit codes: 0 succeeded, 1 failed or cancelled, 3 the name is that of another run, 124 timed out.`,
  },
})

const listTasks = buildCommand({
  loader: async () => (await import('../commands/pipeline/tasks.ts')).list,
  parameters: { flags: { output }, aliases: { o: 'output' } },
  docs: { brief: 'List the Tasks of this release' },
})

const showTask = buildCommand({
  loader: async () => (await import('../commands/pipeline/tasks.ts')).show,
  parameters: { positional: { kind: 'tuple', parameters: [taskName] }, flags: { output }, aliases: { o: 'output' } },
  docs: { brief: 'Show parameters, results and workspaces of a Task of this release; with -o yaml its manifest' },
})

const accessOfTasks = buildCommand({
  loader: async () => (await import('../commands/pipeline/tasks.ts')).access,
  parameters: { positional: { kind: 'array', parameter: { ...taskName, brief: 'Name of a shipped Task (default: all)' } } },
  docs: { brief: 'Print the ServiceAccounts of Tasks with their rights: steadyvm task access | kubectl apply -n NS -f -' },
})

/** `steadyvm task`. */
export const taskRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { run: runTask, list: listTasks, show: showTask, access: accessOfTasks },
  docs: { brief: 'Run and list Tasks that make and change guests: those of Tekton, without Tekton' },
})

const runPipeline = buildCommand({
  loader: async () => (await import('../commands/pipeline/run.ts')).runPipeline,
  parameters: {
    positional: {
      kind: 'array',
      parameter: { parse: String, brief: 'Files with a Pipeline, and perhaps its Tasks and a PipelineRun, or -', placeholder: 'file' },
      minimum: 1,
    },
    flags: runFlags,
    aliases,
  },
  docs: {
    brief: 'Run a Pipeline of Tekton without Tekton',
    fullDescription: `Run a Pipeline of Tekton without Tekton: each attempt of a task is a pod, and a ConfigMap of the run's name holds how far it is. What is not supported is refused by its path before anything is created.

A PipelineRun in the files gives parameters, workspaces, limits, ServiceAccounts and pod templates; flags come before it.

Ctrl-C ends running tasks, and finally runs; a second Ctrl-C leaves the run as it is. The same command with the same --name goes on with a run whose runner has ended.

Exit codes: 0 succeeded, 1 failed or cancelled, 3 the name is that of another run, 124 timed out.`,
  },
})

const listRuns = buildCommand({
  loader: async () => (await import('../commands/pipeline/runs.ts')).list,
  parameters: {
    flags: { namespace, allNamespaces, output, ...clusterFlags },
    aliases: { n: 'namespace', A: 'allNamespaces', o: 'output' },
  },
  docs: { brief: 'List the runs of Pipelines and Tasks' },
})

const deleteRuns = buildCommand({
  loader: async () => (await import('../commands/pipeline/runs.ts')).remove,
  parameters: {
    positional: { kind: 'array', parameter: { parse: String, brief: 'Name of the run', placeholder: 'run' }, minimum: 1 },
    flags: {
      force: { kind: 'boolean', default: false, brief: 'Also delete a run that has not ended; its finally does not run' },
      namespace,
      ...clusterFlags,
    },
    aliases: { n: 'namespace' },
  },
  docs: { brief: 'Delete runs with their pods and logs' },
})

/** `steadyvm pipeline`. */
export const pipelineRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { run: runPipeline, list: listRuns, delete: deleteRuns },
  docs: { brief: 'Run Pipelines of Tekton without Tekton, and look after their runs' },
})
