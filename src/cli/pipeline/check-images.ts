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
 * Refuses tasks whose image this machine does not have. On a machine of its own, containers are
 * programs, and no image is pulled for them; clusters answer for themselves. @throws CommandError
 */
export async function assertImagesRun(context: CliContext, cluster: ChosenCluster, plan: RunPlan): Promise<void> {
  if (!(await isThisMachine(context, cluster))) return
  const directory = homeDirectory(context, undefined)
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
