import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import { createNodeClient, type NodeClient } from '#client/node/node-client.ts'

/** A client for the cluster of a kubeconfig file, with its disposal: an open connection keeps the process alive. */
export interface Cluster extends Disposable {
  readonly client: NodeClient
}

/** Connects with the current context of a kubeconfig file. */
export async function connectCluster(kubeconfigPath: string): Promise<Cluster> {
  const access = await loadKubeconfig({ path: kubeconfigPath, env: {} })
  const client = createNodeClient(access.http)
  return { client, [Symbol.dispose]: () => client[Symbol.dispose]() }
}
