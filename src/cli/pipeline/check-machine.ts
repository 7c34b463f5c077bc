import { stat } from 'node:fs/promises'
import { nodes } from '#api/core/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { loadKubeconfig } from '#client/node/kubeconfig.ts'
import type { RunPlan } from '#features/pipeline-run/index.ts'
import { ImageNotFound, resolveImage } from '#machine/release/image-store.ts'
import { thisRelease } from '#machine/release/release.ts'
import type { ChosenCluster } from '../cluster/connect.ts'
import { homeDirectory } from '../cluster/home.ts'
import { CommandError, type CliContext } from '../context.ts'

/**
 * Refuses tasks that this machine cannot run. On a machine of its own, containers are programs: no
 * image is pulled for them, and without root nothing is mounted, not even the token of a
 * ServiceAccount. Clusters answer for themselves. @throws CommandError
 */
export async function assertTasksRun(context: CliContext, cluster: ChosenCluster, plan: RunPlan): Promise<void> {
  if (!(await isThisMachine(context, cluster))) return
  const directory = homeDirectory(context, undefined)
  // The control plane runs as the owner of its home.
  if ((await stat(directory.root)).uid !== 0)
    throw new CommandError(
      'Tasks cannot run on this machine: its control plane runs without root, and cannot show them their volumes and tokens; start it as root, or use a cluster',
    )
  for (const { name, spec } of plan.tasks) {
    for (const { image = '', name: step } of spec.steps) {
      if (image.includes('$(')) continue
      try {
        await resolveImage(directory, thisRelease(), image)
      } catch (error) {
        if (!(error instanceof ImageNotFound)) throw error
        throw new CommandError(`The task "${name}" cannot run on this machine: step "${step}": ${error.message}`, undefined, {
          cause: error,
        })
      }
    }
  }
}

/** Reports whether the cluster is the one of this machine's home, and all nodes are of its kind. */
async function isThisMachine(context: CliContext, { client, server }: ChosenCluster): Promise<boolean> {
  try {
    const own = await loadKubeconfig({ path: homeDirectory(context, undefined).kubeconfig, env: {} })
    if (own.http.server !== server) return false
    const { items } = await client.list(nodes)
    return items.every(({ status }) => status?.nodeInfo?.containerRuntimeVersion.startsWith('steadyvm://') === true)
  } catch (error) {
    if (error instanceof StatusError && error.reason !== 'Forbidden') throw error
    // Without a home here, or the right to see nodes, the kubelet is the first who knows.
    return false
  }
}
