import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dataDirectory, type DataDirectory } from './data-directory.ts'
import { lockPorts, type LockRequest } from './home-lock.ts'
import { choosePrefix, readRoutes } from '../network/pod-network.ts'
import { readHomes, writeHomes } from './home-registry.ts'
import { replaceFile } from './write-file.ts'

/** KubeVirt alone, or HyperConverged, which configures it and other components. */
export type Platform = 'kubevirt' | 'hyperconverged'

/**
 * Stored decisions of `steadyvm up`. The port is fixed, since kubeconfigs of clients contain it.
 */
export interface MachineConfig {
  readonly apiPort: number
  /** Names of the logical nodes. The first one runs the control plane. */
  readonly nodes: readonly string[]
  /** What `up` keeps installed. Absent in homes that earlier releases made: KubeVirt. */
  readonly platform?: Platform
  /** First two numbers of guests' addresses: `10.115`. Absent where there is no pod network. */
  readonly podNetwork?: string
  /** Prometheus, which watches the components. Absent: there is none. */
  readonly monitoring?: MonitoringConfig
  /** DiskPressure thresholds that differ from the default: shares from 0 to 1, and bytes. */
  readonly diskThresholds?: { readonly availableShare?: number; readonly availableBytes?: number; readonly inodesShare?: number }
}

/** Settings of Prometheus. */
export interface MonitoringConfig {
  /** Port on the loopback address. */
  readonly port: number
  /** Seconds between two scrapes. Default 30. */
  readonly scrapeSeconds?: number
}

const FIRST_PORT = 7443
const PORT_STEP = 100
const PORT_TRIES = 500
/** Milliseconds to wait for other homes that choose their ports; each takes a few. */
const PORT_LOCK_TIMEOUT_MS = 10_000
const HOST = '127.0.0.1'

/** The machine cannot be set up as requested. The message names the remedy. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/**
 * Reads the configuration; undefined before the first start. @throws SetupError when it is invalid
 */
export async function readConfig(directory: DataDirectory): Promise<MachineConfig | undefined> {
  let text: string
  try {
    text = await readFile(directory.config, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new SetupError(`Cannot read "${directory.config}": ${(error as Error).message}`, { cause: error })
  }
  try {
    const value = JSON.parse(text) as Partial<MachineConfig>
    if (typeof value.apiPort === 'number' && Array.isArray(value.nodes) && value.nodes.length > 0) return value as MachineConfig
  } catch {
    // Reported below, together with valid JSON of the wrong shape.
  }
  throw new SetupError(
    `Cannot understand "${directory.config}": restore it, or move the data directory "${directory.root}" away to start anew`,
  )
}

/** Requested settings; undefined keeps the stored value. */
export interface ConfigRequest {
  readonly port: number | undefined
  readonly nodes: number | undefined
  /** Default: what is stored; HyperConverged for a new home. */
  readonly platform?: Platform
  /**
   * File that lists the homes of this user: their ports are reserved, also while they are stopped.
   */
  readonly homeRegistry: string
  /** True if this machine can have a pod network. Default: false, and guests get none. */
  readonly canHavePodNetwork?: boolean
  /** Whether Prometheus runs. Default: what is stored; none for a new home. */
  readonly monitoring?: boolean
}

/** Limits for {@link ensureConfig} while other homes choose their ports. */
export type PortLock = Omit<LockRequest, 'purpose' | 'timeoutMs'>

/**
 * Completes the configuration without storing it. Nodes are only added: removing one needs a drain.
 * `isStarted` tells that components of this home run, so that its ports are expected to be in use.
 * @throws SetupError for a port in use or fewer nodes
 */
export async function proposeConfig(directory: DataDirectory, request: ConfigRequest, isStarted: boolean): Promise<MachineConfig> {
  return withMonitoring((await complete(directory, request, isStarted, async () => true)).config, request.monitoring)
}

/**
 * Completes and stores the configuration. Homes that are set up at the same time get different
 * ports, and none gets those of a stopped home. @throws SetupError, LockTimedOut
 */
export async function ensureConfig(
  directory: DataDirectory,
  request: ConfigRequest,
  isStarted: boolean,
  clock: PortLock,
): Promise<MachineConfig> {
  using _lock = await lockPorts({ ...clock, purpose: `steadyvm up in ${directory.root}`, timeoutMs: PORT_LOCK_TIMEOUT_MS })
  const { config: completed, homes } = await complete(directory, request, isStarted, claimPorts)
  const config = await withMonitoring(completed, request.monitoring)
  // The registry is written first: killed in between, this home has not chosen a port yet.
  await writeHomes(request.homeRegistry, [...homes.map(({ root }) => root), directory.root])
  await replaceFile(directory.config, `${JSON.stringify(config, null, 2)}\n`, 0o600)
  return config
}

/** Reports whether the caller may use ports that are free. */
type Claim = (apiPort: number) => Promise<boolean>

/**
 * Keeps homes of other users, which are not in the registry, from choosing the same ports before
 * this home's API server listens. The kernel releases the claim when this process ends.
 */
function claimPorts(apiPort: number): Promise<boolean> {
  return new Promise((resolve) => {
    const holder = createServer().unref()
    holder.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'))
    holder.listen(`\0steadyvm-ports-${apiPort}`, () => resolve(true))
  })
}

interface KnownHome {
  readonly root: string
  readonly apiPort: number
  readonly podNetwork?: string | undefined
}

async function complete(
  directory: DataDirectory,
  request: ConfigRequest,
  isStarted: boolean,
  claim: Claim,
): Promise<{ readonly config: MachineConfig; readonly homes: readonly KnownHome[] }> {
  const old = await readConfig(directory)
  const nodes = nodeNames(old?.nodes ?? [], request.nodes)
  const homes = await otherHomes(directory, request.homeRegistry)
  const fixed = request.port ?? old?.apiPort
  const platform = request.platform ?? (old === undefined ? 'hyperconverged' : old.platform)
  const { podNetwork: _, ...stored } = old ?? {}
  const podNetwork = request.canHavePodNetwork === true ? (old?.podNetwork ?? (await choosePodNetwork(directory, homes))) : undefined
  // Keys keep their order, so that an unchanged file is not written.
  const kept = { ...(podNetwork === undefined ? stored : { ...old, podNetwork }), ...(platform === undefined ? {} : { platform }) }
  if (fixed === undefined) return { config: { ...kept, apiPort: await chooseFreePort(homes, claim), nodes }, homes }
  if (fixed !== old?.apiPort) assertNotReserved(fixed, homes)
  if (!isStarted || fixed !== old?.apiPort) await assertFree(fixed, homes)
  return { config: { ...kept, apiPort: fixed, nodes }, homes }
}

/** Chooses the port of Prometheus among those that follow the one of the API server. */
async function withMonitoring(config: MachineConfig, isAsked: boolean | undefined): Promise<MachineConfig> {
  const { monitoring, ...others } = config
  if (isAsked === false) return others
  if (isAsked === undefined || monitoring !== undefined) return config
  for (let port = config.apiPort + 1; port < config.apiPort + PORT_STEP; port++)
    if (await isFree(port)) return { ...config, monitoring: { port } }
  throw new SetupError(
    `Cannot find a port for Prometheus from ${config.apiPort + 1} on: end other programs, or write "monitoring": {"port": N} into the configuration`,
  )
}

async function choosePodNetwork({ root }: DataDirectory, homes: readonly KnownHome[]): Promise<string | undefined> {
  return choosePrefix(
    root,
    await readRoutes(),
    homes.flatMap(({ podNetwork }) => podNetwork ?? []),
  )
}

function nodeNames(old: readonly string[], wanted: number | undefined): string[] {
  const count = wanted ?? Math.max(old.length, 1)
  if (count < old.length) {
    throw new SetupError(
      `Cannot shrink the cluster from ${old.length} to ${count} nodes: its objects may still name them; use another data directory`,
    )
  }
  return [...old, ...Array.from({ length: count - old.length }, (_, index) => `node-${old.length + index + 1}`)]
}

/** Lists the other homes that have a configuration. A removed home releases its ports. */
async function otherHomes(directory: DataDirectory, registry: string): Promise<KnownHome[]> {
  const known = (await readHomes(registry)).filter((root) => root !== directory.root)
  const configs = await Promise.all(known.map((root) => readConfig(dataDirectory(root)).catch(() => undefined)))
  return known.flatMap((root, index) => {
    const config = configs[index]
    return config === undefined ? [] : [{ root, apiPort: config.apiPort, podNetwork: config.podNetwork }]
  })
}

function reservedBy(apiPort: number, homes: readonly KnownHome[]): KnownHome | undefined {
  return homes.find((home) => home.apiPort === apiPort)
}

function assertNotReserved(apiPort: number, homes: readonly KnownHome[]): void {
  const home = reservedBy(apiPort, homes)
  if (home === undefined) return
  throw new SetupError(
    `Cannot use port ${apiPort}: the cluster in "${home.root}" uses it; choose another port with "steadyvm up --port N", or remove that directory`,
  )
}

async function assertFree(apiPort: number, homes: readonly KnownHome[]): Promise<void> {
  if (await isFree(apiPort)) return
  const home = reservedBy(apiPort, homes)
  const user = home === undefined ? 'another program uses the port' : `the cluster in "${home.root}" uses the port`
  throw new SetupError(`Cannot listen on ${HOST}:${apiPort}: ${user}; end it, or choose other ports with "steadyvm up --port N"`)
}

async function chooseFreePort(homes: readonly KnownHome[], claim: Claim): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const candidate = FIRST_PORT + tries * PORT_STEP
    if (reservedBy(candidate, homes) !== undefined || !(await isFree(candidate))) continue
    if (await claim(candidate)) return candidate
  }
  throw new SetupError(`Cannot find free ports from ${FIRST_PORT} on: choose some with "steadyvm up --port N"`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host: HOST, port, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}
