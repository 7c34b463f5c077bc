import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import { nodes } from '#api/core/v1/resources.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { Client } from '#client/client.ts'
import { createInformer } from '#runtime/cache/informer.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Logger } from '#runtime/process/log.ts'
import { type DiskThresholds, type FileSystemUse, hasDiskPressure } from './disk-pressure.ts'
import { newNode, type NodeDescription, nodeDiffers, nodeLabels, nodeStatus } from './node-object.ts'
import { renewLease } from './node-lease.ts'

/** Dependencies of a node registration. */
export interface NodeRegistrationOptions {
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  readonly description: NodeDescription
  /** Watches the file system of the node's data for DiskPressure. */
  readonly disk: {
    readonly thresholds: DiskThresholds
    read(): Promise<FileSystemUse>
  }
  /** The node is in the API and its uid is known. */
  readonly onRegistered?: () => void
}

/** Keeps the node registered, its status right and its lease fresh. */
export interface NodeRegistration {
  run(signal: AbortSignal): Promise<void>
  /** The node's uid, once it is registered. */
  readonly nodeUid: string | undefined
}

const renewMs = 10_000
const retryMs = 1_000
const diskCheckMs = 10_000

/** Creates the registration of one node. */
export function createNodeRegistration(options: NodeRegistrationOptions): NodeRegistration {
  const { client, clock, log, description, disk } = options
  const informer = createInformer<Node>({
    client,
    clock,
    log,
    resource: nodes,
    selection: { fieldSelector: `metadata.name=${description.name}` },
  })
  let nodeUid: string | undefined
  let diskPressure = false
  let retry: Disposable | undefined
  let working: Promise<void> | undefined
  let again = false

  function look(signal: AbortSignal): void {
    again = true
    working ??= work(signal).finally(() => (working = undefined))
  }
  async function work(signal: AbortSignal): Promise<void> {
    while (again && !signal.aborted) {
      again = false
      try {
        nodeUid = (await ensureNode(options, informer.get('', description.name), diskPressure, signal)).metadata.uid
        options.onRegistered?.()
      } catch (error) {
        if (signal.aborted) return
        log.warn({ node: description.name, error }, 'node could not be registered')
        retry = clock.after(retryMs, () => look(signal))
      }
    }
  }
  async function keepLease(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const renewed = await renewLease({ client, clock, node: description.name, nodeUid, signal }).catch((error: unknown) => {
        if (!signal.aborted) log.warn({ node: description.name, error }, 'node lease could not be renewed')
        return false
      })
      await clock.sleep(renewed ? renewMs : retryMs, signal).catch(() => {})
    }
  }
  async function watchDisk(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await checkDisk().catch((error: unknown) => log.warn({ node: description.name, error }, 'free disk space could not be read'))
      if (nodeUid !== undefined) look(signal)
      await clock.sleep(diskCheckMs, signal).catch(() => {})
    }
  }
  async function checkDisk(): Promise<void> {
    const use = await disk.read()
    const now = hasDiskPressure(diskPressure, use, disk.thresholds)
    if (now !== diskPressure) log.warn({ node: description.name, ...use }, now ? 'node is under disk pressure' : 'disk pressure is over')
    diskPressure = now
  }
  return {
    get nodeUid() {
      return nodeUid
    },
    async run(signal) {
      using _listening = informer.onEvent(() => {
        if (informer.hasSynced) look(signal)
      })
      const informing = informer.run(signal)
      try {
        await informer.synced(signal)
        await checkDisk().catch(() => {})
        look(signal)
        await working
        await Promise.all([keepLease(signal), watchDisk(signal)])
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        retry?.[Symbol.dispose]()
        await Promise.all([informing, working])
      }
    },
  }
}

async function ensureNode(
  options: NodeRegistrationOptions,
  known: Node | undefined,
  diskPressure: boolean,
  signal: AbortSignal,
): Promise<Node> {
  const { client, clock, description } = options
  const shown = known ?? (await register(options, signal))
  const key = { name: description.name }
  const labels = Object.fromEntries(
    Object.entries(nodeLabels(description)).filter(([name, value]) => shown.metadata.labels?.[name] !== value),
  )
  if (Object.keys(labels).length > 0) await client.patch(nodes, key, { type: 'merge', body: { metadata: { labels } } }, { signal })
  const status = nodeStatus(description, shown.status, clock.now(), diskPressure)
  if (!nodeDiffers(shown.status, status)) return shown
  return client.patch(nodes, key, { type: 'strategic', body: { status } }, { subresource: 'status', signal })
}

async function register({ client, clock, description }: NodeRegistrationOptions, signal: AbortSignal): Promise<Node> {
  const key = { name: description.name }
  try {
    return await client.get(nodes, key, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  try {
    return await client.create(nodes, newNode(description, clock.now()), { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return client.get(nodes, key, { signal })
  }
}
