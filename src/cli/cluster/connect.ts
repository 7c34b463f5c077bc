import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import type { DataDirectory } from '#machine/home/data-directory.ts'
import { componentKubeconfig } from '#machine/control-plane/platform.ts'
import { createNodeClient, type NodeClient } from '#client/node/node-client.ts'
import { createHttpTransport } from '#client/node/http-transport.ts'
import { followPodLog, type PodLog } from '#client/node/pod-log.ts'
import { readServerVersion } from '#client/node/server-version.ts'
import type { CliContext } from '../context.ts'
import { openGuestStream, type GuestStreamTarget } from './guest-stream.ts'
import { homeDirectory } from './home.ts'

/** A client of one cluster. Dispose it: an open connection keeps the process alive. */
export interface Cluster extends Disposable {
  readonly client: NodeClient
}

/** The selected cluster and the namespace of its context. */
export interface ChosenCluster extends Cluster {
  readonly namespace: string
  /** URL of its API server. */
  readonly server: string
  /**
   * Reads the log of a container, line by line, until it ends. @throws LogUnavailable,
   * TransportError
   */
  readonly followLog: (log: PodLog, signal?: AbortSignal) => AsyncIterable<string>
  /** Asks the API server for its version, such as `v1.33.1`. */
  readonly version: (signal: AbortSignal) => Promise<string>
  /** Opens a stream of a guest. @throws StreamRefused, CommandError */
  readonly openGuestStream: (target: GuestStreamTarget) => Promise<Duplex>
}

/** kubectl's flags that select a cluster. */
export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: string
}

/** Connects to the cluster of a home as its administrator. */
export async function connectCluster(directory: DataDirectory): Promise<Cluster> {
  const access = await loadKubeconfig({ path: componentKubeconfig(directory, 'admin'), env: {} })
  const client = createNodeClient(access.http)
  return { client, [Symbol.dispose]: () => client[Symbol.dispose]() }
}

/**
 * Connects to the cluster that kubectl would use, or to this machine's when there is no kubeconfig.
 */
export async function connectChosenCluster(context: CliContext, flags: ClusterFlags): Promise<ChosenCluster> {
  const { env } = context.process
  const path = flags.kubeconfig ?? machineKubeconfig(context)
  const access = await loadKubeconfig({
    env,
    ...(path === undefined ? {} : { path }),
    ...(flags.context === undefined ? {} : { context: flags.context }),
  })
  const client = createNodeClient(access.http, {
    userAgent: 'steadyvm-cli',
    onWarning: (text) => context.process.stderr.write(`warning: ${text}\n`),
  })
  const transport = createHttpTransport(access.http)
  return {
    client,
    namespace: access.namespace,
    server: access.http.server,
    followLog: (log, signal) => followPodLog(transport, log, signal),
    openGuestStream: (target) => openGuestStream(access.http, target),
    version: async (signal) => (await readServerVersion(access.http, signal)).gitVersion,
    [Symbol.dispose]: () => {
      client[Symbol.dispose]()
      transport[Symbol.dispose]()
    },
  }
}

function machineKubeconfig(context: CliContext): string | undefined {
  const { env } = context.process
  if ((env['KUBECONFIG'] ?? '') !== '' || env['KUBERNETES_SERVICE_HOST'] !== undefined) return undefined
  if (existsSync(join(env['HOME'] ?? '.', '.kube', 'config'))) return undefined
  const { kubeconfig } = homeDirectory(context, undefined)
  return existsSync(kubeconfig) ? kubeconfig : undefined
}
