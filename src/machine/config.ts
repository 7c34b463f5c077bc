import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { DataDirectory } from './data-directory.ts'
import { replaceFile } from './write-file.ts'

/** What `steadyvm up` decided once and keeps: clients hold the port in their kubeconfigs. */
export interface MachineConfig {
  readonly apiPort: number
  /** Names of the logical nodes; the first one carries the control plane. */
  readonly nodes: readonly string[]
}

/**
 * Ports of all components, as offsets from the API port, so that one number tells where everything
 * listens.
 */
export interface Ports {
  readonly api: number
  /** Health and metrics of virt-operator. What that installs has addresses of its own. */
  readonly virtOperator: number
}

const FIRST_PORT = 7443
const PORT_STEP = 100
const PORT_TRIES = 50
const HOST = '127.0.0.1'

/** The machine cannot be set up as asked. The message says what to do. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** Ports of a cluster. */
export function portsOf(config: MachineConfig): Ports {
  return {
    api: config.apiPort,
    virtOperator: config.apiPort + 1,
  }
}

/**
 * Reads the cluster's configuration, or undefined when there is none yet. @throws SetupError when
 * it cannot be understood
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
    // Reported below, together with a file of the wrong shape.
  }
  throw new SetupError(
    `Cannot understand "${directory.config}": restore it, or move the data directory "${directory.root}" away to start anew`,
  )
}

/** What the caller asks for; undefined keeps what is there. */
export interface ConfigRequest {
  readonly port: number | undefined
  readonly nodes: number | undefined
}

/**
 * Completes the configuration. Nodes are only ever added: removing one is a drain, not a flag.
 * `inUse` says whether this cluster already runs, so that its own ports are not taken for somebody
 * else's. @throws SetupError for a taken port or fewer nodes
 */
export function proposeConfig(directory: DataDirectory, request: ConfigRequest, inUse: boolean): Promise<MachineConfig> {
  return complete(directory, request, { inUse, take: async () => true })
}

/**
 * {@link proposeConfig}, and writes the outcome. Clusters that are set up at the same moment get
 * different ports.
 */
export async function ensureConfig(directory: DataDirectory, request: ConfigRequest, inUse: boolean): Promise<MachineConfig> {
  const config = await complete(directory, request, { inUse, take: reservePorts })
  await replaceFile(directory.config, `${JSON.stringify(config, null, 2)}\n`, 0o600)
  return config
}

interface Choice {
  readonly inUse: boolean
  /** Whether ports that are free may be had. */
  readonly take: (apiPort: number) => Promise<boolean>
}

async function complete(directory: DataDirectory, request: ConfigRequest, { inUse, take }: Choice): Promise<MachineConfig> {
  const old = await readConfig(directory)
  const nodes = nodeNames(old?.nodes ?? [], request.nodes)
  const fixed = request.port ?? old?.apiPort
  if (fixed === undefined) return { apiPort: await chooseFreePort(take), nodes }
  if (!inUse || fixed !== old?.apiPort) await assertFree(fixed)
  return { apiPort: fixed, nodes }
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

async function assertFree(apiPort: number): Promise<void> {
  const busy = await firstBusyPort(apiPort)
  if (busy === undefined) return
  throw new SetupError(
    `Cannot listen on ${HOST}:${busy}: another program uses the port; end it, or choose other ports with "steadyvm up --port N"`,
  )
}

async function chooseFreePort(take: Choice['take']): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const candidate = FIRST_PORT + tries * PORT_STEP
    if ((await firstBusyPort(candidate)) === undefined && (await take(candidate))) return candidate
  }
  throw new SetupError(`Cannot find free ports from ${FIRST_PORT} on: choose some with "steadyvm up --port N"`)
}

async function firstBusyPort(apiPort: number): Promise<number | undefined> {
  const ports = portsOf({ apiPort, nodes: [] })
  const all = [ports.api, ports.virtOperator]
  for (const port of all) if (!(await isFree(port))) return port
  return undefined
}

/**
 * Keeps other clusters that are being set up at this moment from choosing the same ports: between a
 * look at free ports and the first program that listens lies a second. The kernel gives the claim
 * back when this process ends, in whatever way.
 */
function reservePorts(apiPort: number): Promise<boolean> {
  return new Promise((resolve) => {
    const holder = createServer().unref()
    // Where there are no abstract sockets there is no claim, and the race is as it was.
    holder.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'))
    holder.listen(`\0steadyvm-ports-${apiPort}`, () => resolve(true))
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host: HOST, port, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}
