import { attemptsOf, loggingContainers, taskOf, whyPodWaits, type RunView, type TaskState } from '#features/pipeline-run/index.ts'
import type { ChosenCluster } from '../cluster/connect.ts'
import type { CliContext } from '../context.ts'
import { formatDuration, paintFor } from '../render/terminal.ts'

/** Shows a run on standard error: changes of tasks, and the lines of their steps. */
export interface RunPrinter {
  show(view: RunView): Promise<void>
}

/** Milliseconds that the log of an ended task gets to arrive whole. */
const patienceMs = 3_000

/** Prints only what is new since the first view: of tasks that had ended by then, no logs. */
export function createRunPrinter(context: CliContext, cluster: ChosenCluster): RunPrinter {
  const paint = paintFor(context, 'stderr')
  const say = (line: string): void => context.process.stderr.write(`${line}\n`)
  const said = new Map<string, string>()
  const waits = new Map<string, string>()
  const logs = new Map<string, Promise<void>>()
  let old: ReadonlySet<string> | undefined

  function follow(task: string, pod: string, container: string, namespace: string): void {
    const key = `${pod}/${container}`
    if (logs.has(key)) return
    const read = async (): Promise<void> => {
      for await (const line of cluster.followLog({ namespace, pod, container })) say(`${paint('dim', `[${task} : ${container}]`)} ${line}`)
    }
    logs.set(
      key,
      read().catch((error: unknown) => say(`note: the log of ${key} is incomplete: ${(error as Error).message}`)),
    )
  }

  return {
    async show({ stored, states, pods }) {
      const { run, progress } = stored
      const ended = run.plan.tasks.flatMap(({ name }) => attemptsOf(progress, name).filter(({ state }) => state !== 'Running'))
      old ??= new Set(ended.map(({ pod }) => pod))
      for (const pod of pods) {
        const name = pod.metadata.name ?? ''
        if (old.has(name)) continue
        for (const container of loggingContainers(pod)) follow(taskOf(pod), name, container, run.namespace)
        const why = pod.metadata.deletionTimestamp === undefined ? whyPodWaits(pod) : ''
        if (why !== '' && waits.get(name) !== why) say(`task ${taskOf(pod)} waits: ${why}`)
        waits.set(name, why)
      }
      for (const { name, retries } of run.plan.tasks) {
        const state = states.get(name)
        const attempts = attemptsOf(progress, name)
        const last = attempts.at(-1)
        const key = `${state?.kind}/${attempts.length}`
        if (state === undefined || said.get(name) === key || state.kind === 'Waiting') continue
        said.set(name, key)
        if (last !== undefined && last.state !== 'Running') await arrived(context, logs, last.pod)
        const took = last?.finishedAt === undefined ? '' : ` after ${formatDuration(last.finishedAt - last.startedAt)}`
        const line = describe(state, { took, pod: last?.pod ?? '', left: retries - attempts.length + 1, message: last?.message ?? '' })
        if (line !== undefined) say(`${paint('bold', `task ${name}`)} ${line}`)
      }
    },
  }
}

/** Waits until the logs of a pod have been read to their end. */
async function arrived(context: CliContext, logs: ReadonlyMap<string, Promise<void>>, pod: string): Promise<void> {
  const own = [...logs].filter(([key]) => key.startsWith(`${pod}/`)).map(([, log]) => log)
  if (own.length > 0) await Promise.race([Promise.all(own), context.sleep(patienceMs)])
}

interface Attempted {
  readonly took: string
  readonly pod: string
  readonly left: number
  readonly message: string
}

function describe(state: TaskState, { took, pod, left, message }: Attempted): string | undefined {
  switch (state.kind) {
    case 'Waiting':
      return undefined
    case 'Ready':
      // A first attempt is told when it runs.
      return state.attempt === 0 ? undefined : `failed${took}, and is tried again (${left} left)${message === '' ? '' : `: ${message}`}`
    case 'Running':
      return `runs in the pod ${pod}`
    case 'Succeeded':
      return `succeeded${took}`
    case 'Failed':
      return `failed${took} (${state.reason})${state.message === '' ? '' : `: ${state.message}`}`
    case 'Skipped':
      return `is skipped: ${state.reason}`
  }
}
