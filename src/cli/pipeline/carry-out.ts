import { serviceAccounts } from '#api/core/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { generateName } from '#apimachinery/names.ts'
import type { Client } from '#client/client.ts'
import {
  createRun,
  followRun,
  makePlan,
  ManifestInvalid,
  readRun,
  type Outcome,
  type PipelineSpec,
  type RunPlan,
  type RunRequest,
  type StoredRun,
  type TaskSpec,
} from '#features/pipeline-run/index.ts'
import { REGISTRY, thisRelease } from '#machine/release/release.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { systemRandom } from '#runtime/process/random.ts'
import { checkedRegistry } from '../arguments/registry.ts'
import type { ChosenCluster } from '../cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '../context.ts'
import { print } from '../render/print.ts'
import { table } from '../render/terminal.ts'
import { taskAccount, tasksImage, type ShippedTask } from './catalogue.ts'
import { assertTasksRun } from './check-machine.ts'
import type { RunFile } from './read-files.ts'
import { reportOf } from './run-report.ts'
import { showPlan } from './show-plan.ts'
import { parseParams, parseServiceAccounts, parseTimeouts, parseWorkspaces, type RunFlags } from './run-flags.ts'
import { createRunPrinter } from './show-run.ts'

/** What is to be run. */
export interface Wanted {
  /** `Pipeline "x" of file.yaml`. */
  readonly subject: string
  readonly name: string
  readonly spec: PipelineSpec
  /** Tasks of the file. */
  readonly tasks: ReadonlyMap<string, TaskSpec>
  readonly catalogue: ReadonlyMap<string, ShippedTask>
  readonly registry: string
  /** What a PipelineRun or TaskRun asks for; flags come before it. */
  readonly asked?: RunFile<RunRequest>
}

/** Runs a pipeline until its end, and sets the exit code. @throws CommandError */
export async function carryOut(context: CliContext, cluster: ChosenCluster, flags: RunFlags, wanted: Wanted): Promise<void> {
  const { asked } = wanted
  if (asked?.namespace !== undefined && flags.namespace !== undefined && asked.namespace !== flags.namespace)
    throw new CommandError(`${asked.subject} is of the namespace "${asked.namespace}", and -n says "${flags.namespace}"`)
  const namespace = flags.namespace ?? asked?.namespace ?? cluster.namespace
  const plan = await planOf(context, cluster.client, namespace, flags, wanted)
  await assertTasksRun(context, cluster, plan)
  if (flags.dryRun) return showPlan(context, flags.output, namespace, plan)
  const prefix = asked?.generateName ?? `${wanted.name.slice(0, 50)}-`
  const name = flags.name ?? asked?.name ?? generateName(prefix, systemRandom)
  const stored = await begin(context, cluster.client, { namespace, name }, plan)
  const printer = createRunPrinter(context, cluster)
  const onCancel = (): void =>
    context.process.stderr.write(
      `Cancelled: running tasks are ended, and finally runs; a second Ctrl-C leaves the run as it is, and the same command with --name ${name} goes on\n`,
    )
  context.signal.addEventListener('abort', onCancel, { once: true })
  const leave = new AbortController().signal
  const outcome = await followRun(
    {
      client: cluster.client,
      clock: systemClock,
      show: (view) => printer.show(view),
      onRetry: retryNote(context),
      cancel: context.signal,
      leave,
    },
    stored,
  )
  context.signal.removeEventListener('abort', onCancel)
  const ended = await readRun(cluster.client, { namespace, name })
  if (outcome === undefined || ended === undefined) throw new CommandError(`The run "${namespace}/${name}" is gone`)
  conclude(context, flags, ended, outcome)
}

/** Says once for each message that the server is asked again: the run itself goes on meanwhile. */
function retryNote(context: CliContext): (error: Error) => void {
  const said = new Set<string>()
  return ({ message }) => {
    if (said.has(message)) return
    said.add(message)
    context.process.stderr.write(`note: ${message}; asking again, and running tasks go on\n`)
  }
}

async function planOf(context: CliContext, client: Client, namespace: string, flags: RunFlags, wanted: Wanted): Promise<RunPlan> {
  const { spec, tasks, catalogue, registry } = wanted
  const asked = wanted.asked?.spec
  const own = new Set<string>()
  try {
    const plan = makePlan({
      subject: wanted.subject,
      pipeline: wanted.name,
      spec,
      taskNamed: (name) => {
        const given = tasks.get(name)
        if (given === undefined && catalogue.has(name)) own.add(name)
        return given ?? catalogue.get(name)?.spec
      },
      params: {
        ...asked?.params,
        ...(await parseParams(flags.param ?? [], (name) => spec.params.find((param) => param.name === name)?.type)),
      },
      workspaces: { ...asked?.workspaces, ...parseWorkspaces(flags.workspace ?? []) },
      timeouts: parseTimeouts({ ...asked?.timeouts, ...flags }, spec),
      serviceAccounts: await accountsOf(client, namespace, flags, wanted),
      podTemplates: asked?.podTemplates ?? {},
      collectorImage: `${registry}/${tasksImage}:${thisRelease().version}`,
    })
    if (own.size > 0) context.process.stderr.write(`note: Tasks that are shipped with steadyvm are used: ${[...own].join(', ')}\n`)
    return plan
  } catch (error) {
    if (error instanceof ManifestInvalid) throw new CommandError(error.message, EXIT.error, { cause: error })
    throw error
  }
}

/**
 * Chooses ServiceAccounts: those that are given, else the one with the rights of a shipped Task
 * where it exists.
 */
async function accountsOf(
  client: Client,
  namespace: string,
  { serviceAccount = [] }: RunFlags,
  { spec, tasks, catalogue, asked }: Wanted,
): Promise<Readonly<Record<string, string>>> {
  const given = { ...asked?.spec.serviceAccounts, ...parseServiceAccounts(serviceAccount) }
  if (given[''] !== undefined) return given
  const existing = await accountNames(client, namespace)
  const own = [...spec.tasks, ...spec.finally].flatMap(({ name, task }): readonly (readonly [string, string])[] => {
    if (task.kind !== 'reference' || tasks.has(task.name) || !catalogue.has(task.name)) return []
    const account = taskAccount(task.name)
    return existing.has(account) ? [[name, account]] : []
  })
  return { ...Object.fromEntries(own), ...given }
}

async function accountNames(client: Client, namespace: string): Promise<ReadonlySet<string>> {
  try {
    const { items } = await client.list(serviceAccounts, { namespace })
    return new Set(items.map(({ metadata }) => metadata.name ?? ''))
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'Forbidden') return new Set()
    throw error
  }
}

/**
 * Creates the run, or takes up the one of the same name. @throws CommandError when it is another
 * one
 */
async function begin(
  context: CliContext,
  client: Client,
  key: { readonly namespace: string; readonly name: string },
  plan: RunPlan,
): Promise<StoredRun> {
  const stored = (await readRun(client, key)) ?? (await createRun(client, key, plan, context.now()))
  const other = differenceOf(stored.run.plan, plan)
  if (other !== undefined) {
    const remedy = `choose another --name, or remove it by "steadyvm pipeline delete ${key.name} -n ${key.namespace}"`
    throw new CommandError(`The run "${key.namespace}/${key.name}" exists, and its ${other} differ: ${remedy}`, EXIT.refused)
  }
  const { outcome, attempts } = stored.progress
  const isNew = outcome === undefined && Object.keys(attempts).length === 0
  const what = outcome !== undefined ? 'has ended before' : isNew ? 'begins' : 'goes on where it was left'
  context.process.stderr.write(`run ${key.namespace}/${key.name} ${what}\n`)
  return stored
}

/** Which part of two plans differs. What depends on the cluster is kept from the first one. */
function differenceOf(a: RunPlan, b: RunPlan): string | undefined {
  const parts: readonly (keyof RunPlan)[] = ['pipeline', 'params', 'tasks', 'workspaces', 'results', 'timeouts', 'podTemplates']
  return parts.find((part) => JSON.stringify(a[part]) !== JSON.stringify(b[part]))
}

function conclude(context: CliContext, { output }: RunFlags, stored: StoredRun, outcome: Outcome): void {
  const { name } = stored.run
  context.process.stderr.write(`run ${stored.run.namespace}/${name} ${outcome.status}: ${outcome.message}\n`)
  print(context, output, {
    kind: 'PipelineRun',
    document: reportOf(stored),
    names: [`configmap/${name}`],
    text: () =>
      table(Object.entries(outcome.results).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)])),
  })
  if (outcome.status === 'TimedOut') context.process.exitCode = EXIT.timeout
  else if (outcome.status === 'Failed' || outcome.status === 'Cancelled') context.process.exitCode = EXIT.error
}

/** Finds the registry of the images: the one that is given, or that of the installation. */
export async function registryOf(client: Pick<Client, 'list'>, given: string | undefined): Promise<string> {
  if (given !== undefined) return checkedRegistry(given)
  try {
    const { items } = await client.list(kubeVirts)
    return items[0]?.status?.observedKubeVirtRegistry ?? REGISTRY
  } catch (error) {
    if (error instanceof StatusError && ['Forbidden', 'NotFound'].includes(error.reason)) return REGISTRY
    throw error
  }
}
