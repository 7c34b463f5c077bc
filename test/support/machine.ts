import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectCluster, type Cluster } from '#cli/cluster/connect.ts'
import { launcherPaths } from '#features/launcher/index.ts'
import { findGuests, type RunningGuest } from '#machine/guests/running-guests.ts'
import { stopCluster } from '#machine/down.ts'
import { readConfig } from '#machine/home/config.ts'
import { dataDirectory } from '#machine/home/data-directory.ts'
import { imageDirectory } from '#machine/release/image-store.ts'
import { thisRelease } from '#machine/release/release.ts'
import { findProcesses, signalProcess, type ClusterProcess } from '#machine/supervisor/processes.ts'
import { newestKubectl, runCommand, type CommandResult } from './kubectl.ts'
import { cacheFolder } from './cache.ts'
import { runInGuest } from './guests/guest-commands.ts'
import { testClusterHome } from './place.ts'

export const repository: string = join(import.meta.dirname, '..', '..')
const steadyvm = join(repository, 'bin', 'steadyvm')

/**
 * A cluster for tests: machine mode in a temporary data directory, or a Kubernetes cluster on which
 * steadyvm is installed (`testClusterHome`). Disposal stops and removes the former, and removes
 * from the latter what the test has created.
 */
export interface TestMachine extends AsyncDisposable {
  /** Data directory of machine mode; on a Kubernetes cluster a temporary folder of the test. */
  readonly home: string
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string
  readonly env: NodeJS.ProcessEnv
  readonly namespace: string
  /** Creates a namespace, and returns commands whose kubeconfig selects it. Disposal deletes it. */
  createNamespace(name: string): Promise<TestMachine>
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
  /** Opens a client of an administrator. */
  connect(): Promise<Cluster>
  /** Lists the processes of components and guests; the role is the name of the container. */
  processes(): ClusterProcess[]
  /** Lists the QEMUs that run. Their sockets and files can be opened. */
  guests(): RunningGuest[]
  /**
   * Runs a command in a guest, and returns its output. Waits while the guest starts, restarts or
   * migrates. Fails unless the exit code is 0.
   */
  inGuest(command: string, name: string): Promise<string>
  /** Returns the folder with the launch record of a pod. */
  launchRecord(node: string, podUid: string): string
  /** Reads a client certificate: an administrator's, or the one of the API server's front proxy. */
  credentials(name: 'admin' | 'front-proxy'): Credentials
  /**
   * Stops virt-operator until the returned function is called. Other components go on, and what it
   * manages is not restored meanwhile.
   */
  stopOperator(): Promise<() => Promise<void>>
  /** Stops all components, and starts them again. */
  restartComponents(): Promise<void>
  /** Stores an image of a guest, whose files `fill` writes, unless it is stored. */
  addImage(reference: string, fill: (folder: string) => Promise<unknown> | void): Promise<void>
  /**
   * Lets nodes pull images from a registry until the returned function is called.
   *
   * @param registry its host with port, and the authority of its certificate in PEM
   */
  trustRegistry(registry: { readonly host: string; readonly authority: string }): Promise<() => Promise<void>>
  /** Returns the events of the audit log since the test has started. */
  auditEvents(): KubeJson[]
}

/** An object as kubectl prints it with `-o json`. */
export interface KubeJson {
  readonly [key: string]: KubeJson
}

/** A client certificate with its key and the API server's authority, in PEM. */
export interface Credentials {
  readonly cert: Buffer
  readonly key: Buffer
  readonly ca: Buffer
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
  /** Default: KubeVirt alone, whose object most tests edit. */
  readonly platform?: 'hyperconverged' | 'kubevirt'
  /**
   * Seconds for which rollouts observe the first new pod of a component; default: the operator's
   * value.
   */
  readonly soakSeconds?: number
}

/**
 * Starts a cluster, or takes the Kubernetes cluster that tests run against: it has two nodes, and
 * is as after the installation. The guest kernel comes from the machine's own cache, so that no
 * test downloads anything.
 */
export async function startMachine(options: MachineOptions = {}): Promise<TestMachine> {
  if (testClusterHome !== undefined) {
    const { machineOnCluster } = await import('../kubernetes/installation/test-machine.ts')
    return machineOnCluster(testClusterHome)
  }
  const home = await prepareHome()
  const machine = machineAt(home, { namespace: 'default', kubeconfig: join(home, 'kubeconfig') })
  const port = options.port === undefined ? [] : ['--port', String(options.port)]
  const platform = ['--platform', options.platform ?? 'kubevirt']
  const started = await machine.steadyvm('up', '--nodes', String(options.nodes ?? 1), ...platform, ...port)
  if (started.code !== 0) {
    await machine[Symbol.asyncDispose]()
    assert.fail(`steadyvm up ended with ${started.code}: ${started.stderr}`)
  }
  if (options.soakSeconds !== undefined)
    await machine.kubectl(['annotate', 'kubevirt', 'kubevirt', '-n', 'kubevirt', `steadyvm.io/rollout-soak=${options.soakSeconds}s`])
  return machine
}

/** Commands of a test against a cluster. */
export type TestCommands = Pick<TestMachine, 'env' | 'steadyvm' | 'kubectl' | 'tryKubectl' | 'insist' | 'getJson'>

/**
 * Returns commands that use a kubeconfig. `home`: data directory and folder of caches. `runAs`:
 * command by which bin/steadyvm is run.
 */
export function commandsWith(kubeconfig: string, home: string, runAs: readonly string[] = []): TestCommands {
  // A cache of its own: kubectl believes for hours what an earlier cluster on the same port has
  // served.
  const cache = { KUBECACHEDIR: join(home, 'kubectl-cache') }
  const env = { ...process.env, ...cache, STEADYVM_HOME: home, KUBECONFIG: kubeconfig, NO_COLOR: '1' }
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
    env,
    steadyvm: (...args) => {
      const [program = steadyvm, ...rest] = [...runAs, steadyvm, ...args]
      return runCommand(program, rest, { env })
    },
    kubectl,
    tryKubectl,
    insist,
    getJson: async (...args) => JSON.parse(await kubectl(['get', ...args, '-o', 'json'])) as KubeJson,
  }
}

/** How a test uses a cluster of machine mode. */
interface MachinePlace {
  readonly namespace: string
  readonly kubeconfig: string
  readonly runAs?: readonly string[]
}

/** Returns commands against the cluster in a data directory, with the namespace of a kubeconfig. */
export function machineAt(home: string, { namespace, kubeconfig, runAs }: MachinePlace): TestMachine {
  const commands = commandsWith(kubeconfig, home, runAs)
  const run = (...args: string[]): Promise<CommandResult> => {
    // The console looks for guests on the machine, and not in the cluster.
    const where = args[0] === 'console' ? ['--namespace', namespace, ...(args.includes('--timeout') ? [] : ['--timeout', '180'])] : []
    return commands.steadyvm(...args.slice(0, 1), ...where, ...args.slice(1))
  }
  const directory = dataDirectory(home)
  return {
    ...commands,
    home,
    kubeconfig,
    namespace,
    steadyvm: run,
    createNamespace: (name) => createNamespace(name, { home, commands, kubeconfig, at: machineAt }),
    connect: () => connectCluster(directory),
    processes: () => findProcesses(home),
    guests: () => findGuests(home),
    async inGuest(command, name) {
      const { output, exitCode } = await runInGuest({ home, namespace, name }, command)
      assert.equal(exitCode, 0, output)
      return output.trim()
    },
    launchRecord: (node, podUid) => launcherPaths(directory.node(node).pods, directory.run, podUid).recordDirectory,
    credentials(name) {
      const pem = (file: string): Buffer => readFileSync(join(home, 'pki', file))
      const identity = pem(name === 'admin' ? 'admin.pem' : 'front-proxy-client.pem')
      return { cert: identity, key: identity, ca: pem('ca.crt') }
    },
    async stopOperator() {
      const scale = (replicas: number): Promise<string> =>
        commands.kubectl(['scale', 'deployment/virt-operator', '-n', 'kubevirt', `--replicas=${replicas}`])
      await scale(0)
      await eventually(
        () => !findProcesses(home).some(({ role }) => role === 'virt-operator'),
        () => 'virt-operator does not end',
      )
      return async () => void (await scale(1))
    },
    async restartComponents() {
      for (const command of ['down', 'up']) {
        const { code, stderr } = await run(command)
        assert.equal(code, 0, stderr)
      }
    },
    async addImage(reference, fill) {
      const folder = imageDirectory(directory.images, reference)
      if (!existsSync(folder)) await fill(folder)
    },
    async trustRegistry({ host, authority }) {
      const [settings, certificate] = [join(home, 'registries.yaml'), join(home, 'registry.pem')]
      await writeFile(certificate, authority)
      await writeFile(settings, `registries:\n- host: ${host}\n  authority: registry.pem\n`)
      return () => rm(settings)
    },
    auditEvents: () => readAuditLogs(join(home, 'logs')),
    [Symbol.asyncDispose]: () => destroyHome(home, runAs === undefined ? undefined : () => run('down', '--timeout', '0')),
  }
}

interface NamespaceCreation {
  readonly home: string
  readonly commands: TestCommands
  /** Of which the new one is a copy. */
  readonly kubeconfig: string
  readonly at: (home: string, where: { namespace: string; kubeconfig: string }) => TestMachine
}

/** Creates a namespace with a kubeconfig of its own; see `TestMachine.createNamespace`. */
export async function createNamespace(namespace: string, { home, commands, kubeconfig, at }: NamespaceCreation): Promise<TestMachine> {
  const { kubectl } = commands
  const copy = join(home, `kubeconfig-${namespace}`)
  await cp(kubeconfig, copy)
  await kubectl(['create', 'namespace', namespace])
  await kubectl(['wait', '-n', namespace, '--for=create', 'sa/default', 'cm/kube-root-ca.crt', '--timeout=30s'])
  const own = at(home, { namespace, kubeconfig: copy })
  await own.kubectl(['config', 'set-context', '--current', `--namespace=${namespace}`])
  return { ...own, [Symbol.asyncDispose]: async () => void (await kubectl(['delete', 'namespace', namespace, '--wait=false'])) }
}

/** Returns the events of all audit logs in a folder. */
export function readAuditLogs(folder: string): KubeJson[] {
  return readdirSync(folder)
    .filter((file) => /^audit.*\.log$/.test(file))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as KubeJson)
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
  for (const folder of ['guest-kernel', 'guest-ssh']) await symlink(join(cacheFolder, folder), join(home, 'cache', folder))
  return home
}

/**
 * Ends all processes of a home, and removes it. Guests are killed, not powered off. `stop`: stops a
 * cluster of another user.
 */
export async function destroyHome(home: string, stop: () => Promise<unknown> = () => stopClusterAt(home)): Promise<void> {
  await stop()
  for (const found of findProcesses(home)) signalProcess(found, 'SIGKILL')
  await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** Stops a cluster as `steadyvm down --timeout 0` does, without a process for it. */
async function stopClusterAt(home: string): Promise<void> {
  const directory = dataDirectory(home)
  const config = await readConfig(directory)
  if (config === undefined) return
  await stopCluster({
    directory,
    config,
    release: thisRelease(),
    guestTimeoutMs: 0,
    powerOff: () => Promise.resolve(),
    now: () => Date.now(),
    sleep,
    progress: () => {},
  })
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
