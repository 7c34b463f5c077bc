import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pods } from '#api/core/v1/resources.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import { readIfThere, replaceFile } from '#runtime/process/replace-file.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { scrapeTargetsOf } from './scrape-targets.ts'

/** Options of the controller. */
export interface ScrapeTargetsOptions extends ControllerOptions {
  /** Folder of Prometheus. While it does not exist, nothing is written. */
  readonly directory: string
  /** Namespace of the components. */
  readonly namespace: string
}

/** Name of the file in the folder of Prometheus. */
const targetsFile = 'targets.json'
const all: Request = { namespace: '', name: 'targets' }

/**
 * Writes where the components serve metrics into a file that Prometheus follows. On a cluster, the
 * Prometheus operator finds them by a ServiceMonitor; Debian's Prometheus cannot ask an API server.
 */
export function createScrapeTargetsController({ informers, clock, log, directory, namespace }: ScrapeTargetsOptions): Runnable {
  const podCache = informers.informer(pods)
  const path = join(directory, targetsFile)
  const reconciler: Reconciler = async () => {
    if ((await stat(directory).catch(() => undefined)) === undefined) return done
    const targets = scrapeTargetsOf(podCache.list().filter(({ metadata }) => metadata.namespace === namespace))
    const text = `${JSON.stringify(targets, null, 2)}\n`
    if ((await readIfThere(path)) !== text) await replaceFile(path, text, { mode: 0o600, through: directory })
    return done
  }
  const here = (pod: { readonly metadata: { readonly namespace?: string } }): readonly Request[] =>
    pod.metadata.namespace === namespace ? [all] : []
  return createController({ name: 'scrape-targets', reconciler, sources: [watchResource(podCache, here)], clock, log })
}
