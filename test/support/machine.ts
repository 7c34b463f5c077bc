import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, mkdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProcesses, signalProcess, type ClusterProcess } from '#machine/supervisor/processes.ts'
import { newestKubectl, runCommand, type CommandResult } from './kubectl.ts'
import { cacheFolder } from './cache.ts'

export const repository: string = join(import.meta.dirname, '..', '..')
const steadyvm = join(repository, 'bin', 'steadyvm')

/** A cluster in a temporary data directory. Disposal stops and removes it. */
export interface TestMachine extends AsyncDisposable {
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly namespace: string
  /** Runs bin/steadyvm. */
  steadyvm(...args: string[]): Promise<CommandResult>
  /** Runs the newest kubectl; rejects when its exit code is not 0. */
  kubectl(args: readonly string[], input?: string): Promise<string>
  /** Runs the newest kubectl, and returns its exit code. */
  tryKubectl(args: readonly string[], input?: string): Promise<CommandResult>
  /**
   * Repeats kubectl until it succeeds: a component that was just killed may not have restarted yet.
   */
  insist(args: readonly string[], input?: string): Promise<string>
  getJson(...args: string[]): Promise<KubeJson>
  processes(): ClusterProcess[]
}

/** An object as kubectl prints it with `-o json`. */
export interface KubeJson {
  readonly [key: string]: KubeJson
}

/** Returns the text or number at a path such as `metadata.uid`; empty when absent. */
export function textAt(object: KubeJson, path: string): string {
  const found = path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : ''
}

/** Options of a test cluster. */
export interface MachineOptions {
  readonly nodes?: number
  readonly port?: number
  /**
   * Seconds for which rollouts observe the first new pod of a component; default: the operator's
   * value.
   */
  readonly soakSeconds?: number
}

/**
 * Starts a cluster. The guest kernel comes from the machine's own cache, so that no test downloads
 * anything.
 */
export async function startMachine(options: MachineOptions = {}): Promise<TestMachine> {
  const home = await prepareHome()
  const machine = machineAt(home, { namespace: 'default', kubeconfig: join(home, 'kubeconfig') })
  const port = options.port === undefined ? [] : ['--port', String(options.port)]
  const started = await machine.steadyvm('up', '--nodes', String(options.nodes ?? 1), ...port)
  if (started.code !== 0) {
    await machine[Symbol.asyncDispose]()
    assert.fail(`steadyvm up ended with ${started.code}: ${started.stderr}`)
  }
  if (options.soakSeconds !== undefined)
    await machine.kubectl(['annotate', 'kubevirt', 'kubevirt', '-n', 'kubevirt', `steadyvm.io/rollout-soak=${options.soakSeconds}s`])
  return machine
}

/** Returns commands against the cluster in a data directory, with the namespace of a kubeconfig. */
export function machineAt(home: string, { namespace, kubeconfig }: { namespace: string; kubeconfig: string }): TestMachine {
  // A cache of its own: kubectl believes for hours what an earlier cluster on the same port has
  // served.
  const cache = { KUBECACHEDIR: join(home, 'kubectl-cache') }
  const env = { ...process.env, ...cache, STEADYVM_HOME: home, KUBECONFIG: kubeconfig, NO_COLOR: '1' }
  const run = (...args: string[]): Promise<CommandResult> => {
    // The console looks for guests on the machine, and not in the cluster.
    const where = args[0] === 'console' ? ['--namespace', namespace, ...(args.includes('--timeout') ? [] : ['--timeout', '180'])] : []
    return runCommand(steadyvm, [...args.slice(0, 1), ...where, ...args.slice(1)], { env })
  }
  const tryKubectl = (args: readonly string[], input?: string): Promise<CommandResult> =>
    runCommand(newestKubectl().path, args, { env, ...(input === undefined ? {} : { input }) })
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const result = await tryKubectl(patient(args), input)
    assert.equal(result.code, 0, `kubectl ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  const insist = async (args: readonly string[], input?: string): Promise<string> => {
    let last: CommandResult | undefined
    const isDone = async (): Promise<boolean> => (last = await tryKubectl(args, input)).code === 0
    await eventually(isDone, () => `kubectl ${args.join(' ')}: ${last?.stderr ?? ''}`)
    return last?.stdout ?? ''
  }
  return {
    home,
    env,
    namespace,
    steadyvm: run,
    kubectl,
    tryKubectl,
    insist,
    getJson: async (...args) => JSON.parse(await kubectl(['get', ...args, '-o', 'json'])) as KubeJson,
    processes: () => findProcesses(home),
    [Symbol.asyncDispose]: () => destroyHome(home, run),
  }
}

/**
 * Extends the timeout of `kubectl wait` to at least three minutes, because other tests run
 * concurrently.
 */
function patient(args: readonly string[]): readonly string[] {
  if (args[0] !== 'wait') return args
  const isShort = (arg: string): boolean => Number(/^--timeout=(\d+)s$/.exec(arg)?.[1] ?? 180) < 180
  return args.some((arg) => arg.startsWith('--timeout'))
    ? args.map((arg) => (isShort(arg) ? '--timeout=180s' : arg))
    : [...args, '--timeout=180s']
}

/** Creates a data directory that shares the machine's cache of the guest kernel. */
export async function prepareHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'steadyvm-'))
  if (!existsSync(join(cacheFolder, 'guest-kernel')))
    throw new Error(`No kernel for guests in ${cacheFolder}: run "node tools/setup.mjs --test", which "npm test" and "npm run bench" do`)
  await mkdir(join(home, 'cache'), { recursive: true })
  await symlink(join(cacheFolder, 'guest-kernel'), join(home, 'cache', 'guest-kernel'))
  return home
}

/** Ends all processes of a home, and removes it. Guests are killed, not powered off. */
export async function destroyHome(home: string, run: (...args: string[]) => Promise<CommandResult>): Promise<void> {
  await run('down', '--timeout', '0')
  for (const found of findProcesses(home)) signalProcess(found, 'SIGKILL')
  await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/**
 * Repeats until `check` holds. Fails after the timeout with the text of `describe`. A pause is
 * four times as long as the check: one that starts programs must not take the processor from what
 * it waits for.
 */
export async function eventually(
  check: () => Promise<boolean> | boolean,
  describe: () => string | Promise<string>,
  timeoutMs: number = 180_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const started = Date.now()
    if (await check()) return
    if (Date.now() > deadline) assert.fail(await describe())
    await sleep(Math.min(1_500, Math.max(100, 4 * (Date.now() - started))))
  }
}
