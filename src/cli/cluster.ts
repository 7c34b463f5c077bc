import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import type { DataDirectory } from '#machine/data-directory.ts'
import { componentKubeconfig } from '#machine/static-pods.ts'
import { createNodeClient, type NodeClient } from '#client/node/node-client.ts'

/** A client for the cluster of a kubeconfig file, with its disposal: an open connection keeps the process alive. */
export interface Cluster extends Disposable {
  readonly client: NodeClient
}

/** Connects to the cluster of a data directory as its administrator. */
export async function connectCluster(directory: DataDirectory): Promise<Cluster> {
  const access = await loadKubeconfig({ path: componentKubeconfig(directory, 'admin'), env: {} })
  const client = createNodeClient(access.http)
  return { client, [Symbol.dispose]: () => client[Symbol.dispose]() }
}
