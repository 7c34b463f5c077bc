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

/** Ports of all components, as offsets from the API port, so that one number tells where everything listens. */
export interface Ports {
  readonly api: number
  /** Admission reviews. */
  readonly virtApi: number
  /** Health and metrics of virt-api. */
  readonly virtApiHealth: number
  readonly virtController: number
  /** Of the node agent on the n-th node. */
  virtHandler(nodeIndex: number): number
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
    virtApi: config.apiPort + 1,
    virtController: config.apiPort + 2,
    virtApiHealth: config.apiPort + 3,
    virtHandler: (nodeIndex) => config.apiPort + 10 + nodeIndex,
  }
}

/** Reads the cluster's configuration, or undefined when there is none yet. @throws SetupError when it cannot be understood */
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
 * Completes the configuration. Nodes are only ever added: removing one is a drain, not a flag. `inUse` says whether this
 * cluster already runs, so that its own ports are not taken for somebody else's. @throws SetupError for a taken port or fewer nodes
 */
export async function proposeConfig(directory: DataDirectory, request: ConfigRequest, inUse: boolean): Promise<MachineConfig> {
  const old = await readConfig(directory)
  const nodes = nodeNames(old?.nodes ?? [], request.nodes)
  return { apiPort: await choosePort(old?.apiPort, request.port, nodes.length, inUse), nodes }
}

/** {@link proposeConfig}, and writes the outcome. */
export async function ensureConfig(directory: DataDirectory, request: ConfigRequest, inUse: boolean): Promise<MachineConfig> {
  const config = await proposeConfig(directory, request, inUse)
  await replaceFile(directory.config, `${JSON.stringify(config, null, 2)}\n`, 0o600)
  return config
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

async function choosePort(kept: number | undefined, wanted: number | undefined, nodes: number, inUse: boolean): Promise<number> {
  const fixed = wanted ?? kept
  if (fixed !== undefined) {
    const busy = inUse && fixed === kept ? undefined : await firstBusyPort(fixed, nodes)
    if (busy === undefined) return fixed
    throw new SetupError(
      `Cannot listen on ${HOST}:${busy}: another program uses the port; end it, or choose other ports with "steadyvm up --port N"`,
    )
  }
  for (let tries = 0; tries < PORT_TRIES; tries++) {
    const candidate = FIRST_PORT + tries * PORT_STEP
    if ((await firstBusyPort(candidate, nodes)) === undefined) return candidate
  }
  throw new SetupError(`Cannot find free ports from ${FIRST_PORT} on: choose some with "steadyvm up --port N"`)
}

async function firstBusyPort(apiPort: number, nodes: number): Promise<number | undefined> {
  const ports = portsOf({ apiPort, nodes: [] })
  const all = [
    ports.api,
    ports.virtApi,
    ports.virtApiHealth,
    ports.virtController,
    ...Array.from({ length: nodes }, (_, index) => ports.virtHandler(index)),
  ]
  for (const port of all) if (!(await isFree(port))) return port
  return undefined
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host: HOST, port, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}
