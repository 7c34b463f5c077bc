import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory } from '#runtime/process/make-directory.ts'
import { tracingEnvironment } from '#runtime/tracing/environment.ts'
import { createApiProbe, type ApiProbe } from './control-plane/api-probe.ts'
import { completeRestore } from './backup/restore-backup.ts'
import { ensureConfig, readConfig, type ConfigRequest, type MachineConfig, SetupError } from './home/config.ts'
import { lastError, readApiServerExit, runsSince, type ApiServerExit } from './control-plane/apiserver-log.ts'
import type { DataDirectory, NodeDirectory } from './home/data-directory.ts'
import { buildDemoGuest, type DemoGuestSources } from './demo-guest/build.ts'
import { lockHome } from './home/home-lock.ts'
import { programIdentity } from './release/program-bundle.ts'
import { imageDirectory } from './release/image-store.ts'
import { renderKubeconfig } from './pki/kubeconfig.ts'
import { requestRenewal, ensurePki, type Identity, type Pki } from './pki/pki.ts'
import { ageMs, findProcesses, isAlive, isOfGuest, signalProcess, type ClusterProcess } from './supervisor/processes.ts'
import { waitUntil } from './progress.ts'
import { endOutdatedKubelets, findOutdatedApiServer } from './control-plane/outdated.ts'
import { componentKubeconfig, machinePlatform } from './control-plane/platform.ts'
import { operatorDeployment } from './control-plane/operator-deployment.ts'
import { staticPods } from './control-plane/static-pods.ts'
import type { Release } from './release/release.ts'
import { podNetworkObstacle, removeAbandonedNetworks } from './network/pod-network.ts'
import { assertSupervisable, startSupervisor } from './supervisor/supervisor.ts'
import { replaceFile } from './home/write-file.ts'

/** Reference of the demo guest in the image store. */
export const DEMO_GUEST_IMAGE = 'steadyvm.io/demo-guest:v1'

/** Parameters of {@link startCluster}. */
export interface UpOptions extends ConfigRequest {
  readonly directory: DataDirectory
  readonly release: Release
  readonly accelerator: string | undefined
  /** Replaces all certificates and their authorities. Default false. */
  readonly renewsCertificates?: boolean
  readonly timeoutMs: number
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** Result of {@link startCluster}. */
export interface UpResult {
  readonly config: MachineConfig
  readonly server: string
  /**
   * `new`: first start of this home; `earlier`: it held a stopped cluster; `running`: nothing had
   * to be started; `outdated`: running processes were replaced by those of this checkout.
   */
  readonly found: 'new' | 'earlier' | 'running' | 'outdated'
  /** Milliseconds from the call until `/readyz` succeeded. */
  readonly apiReadyMs: number
}

/**
 * Starts the API server and the kubelets of a home, and waits until the API is ready. All state is
 * derived from disk and /proc, so that it can be killed at any point and repeated. @throws
 * SetupError, LockTimedOut, TimedOut, ApiServerFailed
 */
export async function startCluster(options: UpOptions): Promise<UpResult> {
  const { directory, now } = options
  const started = now()
  await makeDirectory(directory.root, 0o700).catch((error: Error) => {
    throw new SetupError(`Cannot make the data directory (${error.message}): name another one with --data-dir or STEADYVM_HOME`, {
      cause: error,
    })
  })
  assertSupervisable()
  const { config, pki, found, outdated } = await prepare(options)
  const server = `https://127.0.0.1:${config.apiPort}`
  using probe = await createApiProbe(config.apiPort, pki)
  await waitForApi(probe, directory.node(config.nodes[0] ?? ''), outdated, options)
  return { config, server, found, apiReadyMs: now() - started }
}

/** Result of {@link prepare}. */
interface Prepared extends Pick<UpResult, 'config' | 'found'> {
  readonly pki: Pki
  /** The running API server, if the kubelet is about to replace it. */
  readonly outdated: ClusterProcess | undefined
}

/**
 * Writes manifests and credentials and starts the supervisors, under the lock of the home: of
 * several callers one starts them, the others find them running. @throws SetupError, LockTimedOut
 */
async function prepare(options: UpOptions): Promise<Prepared> {
  const { directory, release, now, sleep, timeoutMs } = options
  using _lock = await lockHome(directory.root, { purpose: 'steadyvm up', timeoutMs, now, sleep })
  await completeRestore(directory)
  const before = await readConfig(directory)
  const running = findProcesses(directory.root)
  const canHavePodNetwork = podNetworkObstacle() === undefined
  if (canHavePodNetwork) await removeAbandonedNetworks(release)
  const config = await ensureConfig(directory, { ...options, canHavePodNetwork }, isStarted(running), { now, sleep })
  const pki = await ensurePki(directory.pki, config.nodes, now())
  if (options.renewsCertificates === true) await requestRenewal(directory.pki, now())
  await writeKubeconfigs(directory, config, pki, `https://127.0.0.1:${config.apiPort}`)
  // Before the manifests are replaced: an old kubelet would start them with the old programs.
  const processes = await endOutdatedKubelets(running, options)
  await writeManifests(options, config, pki)
  const outdated = await findOutdatedApiServer(directory.node(config.nodes[0] ?? ''), processes, now())
  const startedNodes = await startSupervisors(directory, release, config, processes)
  const isReplaced = processes !== running || outdated !== undefined
  const found = isReplaced ? 'outdated' : startedNodes === 0 ? 'running' : 'earlier'
  return { config, pki, outdated, found: before === undefined ? 'new' : found }
}

/** Builds the demo guest's image. @throws GuestSourceMissing */
export async function ensureDemoGuest(directory: DataDirectory, release: Release): Promise<{ readonly built: boolean }> {
  return buildDemoGuest(demoGuestSources(directory, release), imageDirectory(directory.images, DEMO_GUEST_IMAGE))
}

/** Returns the paths of what the demo guest is built from. */
export function demoGuestSources(directory: DataDirectory, release: Release): DemoGuestSources {
  return {
    kernelDirectory: join(directory.cache, 'guest-kernel'),
    busybox: '/bin/busybox',
    sshDirectory: join(directory.cache, 'guest-ssh'),
    guestDirectory: join(release.root, 'guest'),
  }
}

/** Reports whether components run. Guests may outlive them, and use none of their ports. */
function isStarted(processes: readonly ClusterProcess[]): boolean {
  return processes.some((found) => !isOfGuest(found))
}

async function writeKubeconfigs(directory: DataDirectory, config: MachineConfig, pki: Pki, server: string): Promise<void> {
  const write = async (path: string, user: string, identity: Identity, format: 'yaml' | 'json' = 'json'): Promise<void> => {
    await replaceFile(path, await renderKubeconfig({ server, caFile: pki.ca.certificate, user, identity }, format), 0o600)
  }
  await Promise.all([
    write(directory.kubeconfig, 'admin', pki.admin, 'yaml'),
    write(componentKubeconfig(directory, 'admin'), 'admin', pki.admin),
    write(componentKubeconfig(directory, 'virt-api'), 'virt-api', pki.virtApi),
    write(componentKubeconfig(directory, 'virt-controller'), 'virt-controller', pki.virtController),
    write(componentKubeconfig(directory, 'virt-operator'), 'virt-operator', pki.virtOperator),
    ...config.nodes.flatMap((node) => [
      write(directory.node(node).kubeconfig, `system:node:${node}`, pki.node(node)),
      write(componentKubeconfig(directory, `virt-handler-${node}`), `virt-handler-${node}`, pki.virtHandler(node)),
    ]),
  ])
}

async function writeManifests(options: UpOptions, config: MachineConfig, pki: Pki): Promise<void> {
  const { directory, release, accelerator } = options
  await Promise.all(
    [directory.images, directory.cache, directory.logs, directory.run].map((path) => mkdir(path, { recursive: true, mode: 0o700 })),
  )
  const identify = (program: string): string => programIdentity(release.root, program)
  const accelerated = accelerator === undefined ? {} : { accelerator }
  const platform = machinePlatform({
    directory,
    pki,
    release,
    identify,
    nodes: config.nodes,
    apiPort: config.apiPort,
    podNetwork: config.podNetwork,
    ...accelerated,
  })
  await replaceFile(directory.platform, `${JSON.stringify(platform, null, 2)}\n`, 0o600)
  const context = { directory, config, release, identify }
  await replaceFile(
    directory.operatorManifest,
    `${JSON.stringify(operatorDeployment(context, tracingEnvironment(process.env)), null, 2)}\n`,
    0o600,
  )
  for (const node of config.nodes) {
    const home = directory.node(node)
    for (const folder of [home.pods, home.manifests]) await mkdir(folder, { recursive: true, mode: 0o700 })
    const wanted = staticPods(context, node)
    for (const [name, pod] of wanted) await replaceFile(join(home.manifests, name), `${JSON.stringify(pod, null, 2)}\n`, 0o600)
    const stale = (await readdir(home.manifests)).filter((name) => !wanted.has(name))
    for (const name of stale) await rm(join(home.manifests, name))
  }
}

/** Starts the supervisors of nodes that have none. Returns how many were started. */
async function startSupervisors(
  directory: DataDirectory,
  release: Release,
  config: MachineConfig,
  processes: readonly ClusterProcess[],
): Promise<number> {
  let count = 0
  for (const node of config.nodes) {
    await rm(directory.node(node).stop, { force: true })
    // A supervisor of an earlier release holds no lock, so a second one would not end by itself.
    if (processes.some((found) => found.role === 'supervisor' && found.node === node)) continue
    const kubelet = processes.find((found) => found.role === 'kubelet' && found.node === node)
    startSupervisor({ directory, release, node, adopt: kubelet?.pid })
    count += 1
  }
  return count
}

/** Exits of the API server during a start before `up` gives up. */
const TOLERATED_RUNS = 2

async function waitForApi(probe: ApiProbe, node: NodeDirectory, outdated: ClusterProcess | undefined, options: UpOptions): Promise<void> {
  const started = options.now()
  let looks = 0
  // The kubelet starts the pod of a replaced manifest without a back-off.
  let isSkipped = outdated !== undefined
  const check = async (): Promise<string | undefined> => {
    if (outdated !== undefined && isAlive(outdated)) return 'the kubelet has not stopped the one with the previous configuration yet'
    const missing = await probe.check()
    looks += 1
    if (missing === undefined || looks % LOOK_AT_LOG_EVERY !== 0) return missing
    isSkipped ||= skipBackoff(options.directory, node, await readApiServerExit(node))
    const runs = await runsSince(node, started)
    if (runs.length > TOLERATED_RUNS) throw new ApiServerFailed(`The API server cannot start: ${await lastError(runs)}`)
    return missing
  }
  const describe = (last: string): string =>
    `the API server is not ready (${last}). Its log is below "${node.pods}", the kubelet's is "${node.log}"`
  const { timeoutMs, now, sleep } = options
  await waitUntil(check, { timeoutMs, intervalMs: PROBE_INTERVAL_MS, now, sleep, describe })
}

/** Minimum age of a kubelet that its supervisor restarts without a pause. */
const SETTLED_KUBELET_MS = 10_000

/**
 * Restarts a kubelet that delays the restart of the API server, by up to 1 min after several
 * failures. A new kubelet has no back-off: `up` is called after the cause has been repaired.
 * Reports whether it did so.
 */
function skipBackoff(directory: DataDirectory, node: NodeDirectory, exit: ApiServerExit | undefined): boolean {
  if (exit === undefined || exit.isRunningAgain) return false
  const processes = findProcesses(directory.root)
  if (processes.some(({ role }) => role === 'apiserver')) return false
  const kubelet = processes.find((found) => found.role === 'kubelet' && directory.node(found.node).root === node.root)
  if (kubelet === undefined || ageMs(kubelet) < SETTLED_KUBELET_MS) return false
  signalProcess(kubelet, 'SIGTERM')
  return true
}

/** Milliseconds between two probes of an API server that starts. */
const PROBE_INTERVAL_MS = 8
/** Probes between two reads of its logs. */
const LOOK_AT_LOG_EVERY = 50

/** The API server exits repeatedly. The message is its last error. */
export class ApiServerFailed extends Error {
  override readonly name = 'ApiServerFailed'
}
