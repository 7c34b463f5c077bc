import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { runCommand, type CommandResult } from '../kubectl.ts'
import { eventually, repository, type TestMachine } from '../machine.ts'

/** Parameters of a task by their names. */
export type TaskParameters = Readonly<Record<string, string | readonly string[]>>

interface TaskObject {
  readonly spec: {
    readonly params: readonly { readonly name: string; readonly default?: string | readonly string[] }[]
    readonly steps: readonly (Readonly<Record<string, unknown>> & { readonly args?: readonly string[] })[]
    readonly volumes?: readonly object[]
  }
}

/** Runs the program of tasks on this machine, as an administrator. Flags are kebab-case. */
export function runTaskProgram(
  machine: TestMachine,
  task: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<CommandResult> {
  const program = join(repository, 'src/cmd/steadyvm-tasks.ts')
  return runCommand(process.execPath, [program, task, ...args], { env: { ...machine.env, ...environment }, timeoutMs: 300_000 })
}

/** Gives the service accounts of tasks their rights in the machine's namespace. */
export async function grantTasks(machine: TestMachine, tasks: readonly string[]): Promise<void> {
  for (const task of tasks)
    await machine.kubectl(['apply', '--server-side', '-f', join(repository, 'manifests/tekton/rbac', `${task}.yaml`)])
}

/**
 * Runs a task as Tekton does: the step of its Task, with its parameters, in a pod with its service
 * account. Returns its exit code and its log.
 */
export async function runTaskPod(
  machine: TestMachine,
  pod: string,
  task: string,
  parameters: TaskParameters,
): Promise<{ readonly code: number; readonly log: string }> {
  const { spec } = parse(await readFile(join(repository, 'manifests/tekton/tasks', `${task}.yaml`), 'utf8')) as TaskObject
  const values = new Map(spec.params.map(({ name, default: value }) => [name, parameters[name] ?? value ?? '']))
  const [step] = spec.steps
  const args = (step?.args ?? []).flatMap((word) => {
    const [, list] = /^\$\(params\.(\w+)\[\*\]\)$/.exec(word) ?? []
    return list === undefined ? [word] : [values.get(list) ?? []].flat()
  })
  const results = { name: 'results', mountPath: '/tekton/results' }
  const container = { ...step, args, volumeMounts: [...((step?.['volumeMounts'] as object[] | undefined) ?? []), results] }
  const text = JSON.stringify({
    serviceAccountName: `${task}-task`,
    restartPolicy: 'Never',
    containers: [container],
    volumes: [...(spec.volumes ?? []), { name: 'results', emptyDir: {} }],
  })
    .replaceAll(/\$\(params\.(\w+)\)/g, (_, name: string) => JSON.stringify(values.get(name)).slice(1, -1))
    .replaceAll('$(context.taskRun.uid)', pod)
  const metadata = { name: pod }
  await machine.kubectl(
    ['create', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: JSON.parse(text) as object }),
  )
  const ended = ['get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].state.terminated.exitCode}']
  let code = ''
  await eventually(
    async () => (code = await machine.kubectl(ended)) !== '',
    () => machine.kubectl(['describe', 'pod', pod]),
    240_000,
  )
  return { code: Number(code), log: await machine.kubectl(['logs', pod]) }
}
