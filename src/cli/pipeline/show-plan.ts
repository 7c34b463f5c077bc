import { dependenciesOf, type RunPlan } from '#features/pipeline-run/index.ts'
import type { CliContext } from '../context.ts'
import { print, type OutputFormat } from '../render/print.ts'
import { table } from '../render/terminal.ts'

/** Prints what a run would do; nothing has been created. */
export function showPlan(context: CliContext, output: OutputFormat, namespace: string, plan: RunPlan): void {
  const { pipeline, params, workspaces, timeouts } = plan
  const tasks = plan.tasks.map((task) => ({
    name: task.name,
    when: task.isFinal ? 'finally' : dependenciesOf(task).join(', ') || 'at once',
    retries: task.retries,
    timeoutSeconds: task.timeoutMs === undefined ? null : task.timeoutMs / 1000,
    serviceAccount: plan.serviceAccounts[task.name] ?? plan.serviceAccounts[''] ?? 'default',
    images: [...new Set(task.spec.steps.map(({ image = '' }) => image))],
  }))
  print(context, output, {
    kind: 'PipelineRunPlan',
    document: { namespace, pipeline, params, workspaces, timeouts, tasks },
    names: tasks.map(({ name }) => `task/${name}`),
    text: (isWide) =>
      table([
        ['TASK', 'AFTER', 'RETRIES', 'TIMEOUT', 'SERVICEACCOUNT', ...(isWide ? ['IMAGES'] : [])],
        ...tasks.map((task) => [
          task.name,
          task.when,
          String(task.retries),
          task.timeoutSeconds === null ? '-' : `${task.timeoutSeconds}s`,
          task.serviceAccount,
          ...(isWide ? [task.images.join(', ')] : []),
        ]),
      ]),
  })
  context.process.stderr.write(`Nothing was created: the pipeline "${pipeline}" can be run in the namespace "${namespace}"\n`)
}
