import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import type { DataDirectory } from '#machine/data-directory.ts'
import { componentKubeconfig } from '#machine/control-plane/platform.ts'
import { createNodeClient, type NodeClient } from '#client/node/node-client.ts'
import type { CliContext } from '../context.ts'
import { homeDirectory } from './home.ts'

/**
 * A client for the cluster of a kubeconfig file, with its disposal: an open connection keeps the
 * process alive.
 */
export interface Cluster extends Disposable {
  readonly client: NodeClient
}

/** A cluster that the user has chosen, with the namespace of that choice. */
export interface ChosenCluster extends Cluster {
  readonly namespace: string
}

/** How a user chooses a cluster: kubectl's flags. */
export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: string
}

/** Connects to the cluster of a data directory as its administrator. */
export async function connectCluster(directory: DataDirectory): Promise<Cluster> {
  const access = await loadKubeconfig({ path: componentKubeconfig(directory, 'admin'), env: {} })
  const client = createNodeClient(access.http)
  return { client, [Symbol.dispose]: () => client[Symbol.dispose]() }
}

/**
 * Connects to the cluster that kubectl would talk to; when kubectl knows none, to the one of this
 * machine.
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
  return { client, namespace: access.namespace, [Symbol.dispose]: () => client[Symbol.dispose]() }
}

function machineKubeconfig(context: CliContext): string | undefined {
  const { env } = context.process
  if ((env['KUBECONFIG'] ?? '') !== '' || env['KUBERNETES_SERVICE_HOST'] !== undefined) return undefined
  if (existsSync(join(env['HOME'] ?? '.', '.kube', 'config'))) return undefined
  const { kubeconfig } = homeDirectory(context, undefined)
  return existsSync(kubeconfig) ? kubeconfig : undefined
}
