import { isNotFound } from '#apimachinery/errors.ts'
import { groupResourceOf } from '#apimachinery/meta/resource-type.ts'
import { namespaces } from '#api/core/v1/resources.ts'
import type { Namespace } from '#api/core/v1/namespace.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import type { ResourceCatalog } from '#cluster/controllers/resource-catalog.ts'
import { namespaceConditions, type Progress } from './namespace-conditions.ts'
import { deleteContent, type Remainder } from './namespace-content.ts'

/** Dependencies of the namespace controller. */
export interface NamespaceControllerOptions extends ControllerOptions {
  readonly catalog: ResourceCatalog
  /**
   * Deletes the content of a namespace that the catalog does not list: objects of aggregated API
   * servers. Default: there are none.
   */
  readonly collectRemoteContent?: (namespace: string) => Promise<Progress>
}

const contentFinalizer = 'kubernetes'
const recheckMs = 500

/** Empties namespaces that are being deleted, says what holds them back, and lets them go. */
export function createNamespaceController(options: NamespaceControllerOptions): Runnable {
  const { informers, clock, log } = options
  const cache = informers.informer(namespaces)
  const reconciler: Reconciler = async ({ name }, { signal }) => {
    const namespace = cache.get('', name)
    if (namespace?.metadata.deletionTimestamp === undefined || !isHeld(namespace)) return done
    const progress = await empty(options, name, signal)
    await report(options, namespace, progress, signal)
    if (progress.remainders.length > 0 || progress.failures.length > 0) return recheckIn(recheckMs)
    await finalize(options, name, signal)
    return done
  }
  const sources = [watchResource(cache, (namespace) => (!isBeingDeleted(namespace) ? [] : enqueueSelf(namespace)))]
  return createController({ name: 'namespace', reconciler, sources, concurrency: 4, clock, log })
}

function isHeld({ spec }: Namespace): boolean {
  return spec?.finalizers?.includes(contentFinalizer) === true
}

async function empty(
  { client, catalog, collectRemoteContent }: NamespaceControllerOptions,
  namespace: string,
  signal: AbortSignal,
): Promise<Progress> {
  const remainders: Remainder[] = []
  const failures: string[] = []
  for (const resource of catalog.resources().filter(({ namespaced }) => namespaced)) {
    try {
      const left = await deleteContent(client, resource, namespace, signal)
      if (left !== undefined) remainders.push(left)
    } catch (error) {
      if (signal.aborted) throw error
      // One resource that fails must not keep the others from being removed. A resource that is no
      // longer served has no objects.
      if (!isNotFound(error)) failures.push(`${groupResourceOf(resource)}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const remote = await collectRemoteContent?.(namespace)
  return { remainders: [...remainders, ...(remote?.remainders ?? [])], failures: [...failures, ...(remote?.failures ?? [])] }
}

async function report(
  { client, clock }: NamespaceControllerOptions,
  namespace: Namespace,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const old = namespace.status?.conditions
  const isClear = progress.remainders.length === 0 && progress.failures.length === 0
  // A namespace that goes at once needs no story.
  if (isClear && (old ?? []).length === 0) return
  const conditions = namespaceConditions(old, progress, timestamp(clock.now()))
  if (conditions === old) return
  const key = { name: namespace.metadata.name ?? '' }
  const body = { metadata: { uid: namespace.metadata.uid }, status: { conditions } }
  await client.patch(namespaces, key, { type: 'merge', body }, { subresource: 'status', signal })
}

/** Reads the newest version first: our own report has changed it. */
async function finalize({ client }: NamespaceControllerOptions, name: string, signal: AbortSignal): Promise<void> {
  try {
    const namespace = await client.get(namespaces, { name }, { signal })
    if (!isBeingDeleted(namespace)) return
    const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== contentFinalizer)
    await client.update(namespaces, { ...namespace, spec: { ...namespace.spec, finalizers } }, { subresource: 'finalize', signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
