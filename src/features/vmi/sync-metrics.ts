import type { Reconciler } from '#runtime/controller/reconcile.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/**
 * Counts how often a reconciler of VMIs succeeds for each of them, under KubeVirt's name. A guest
 * that is gone is forgotten. Define once per registry.
 */
export function countSyncs(
  metrics: Pick<Metrics, 'counterFrom'> | undefined,
  exists: (namespace: string, name: string) => boolean,
  reconciler: Reconciler,
): Reconciler {
  if (metrics === undefined) return reconciler
  const counts = new Map<string, { readonly namespace: string; readonly name: string; count: number }>()
  metrics.counterFrom(
    {
      name: 'kubevirt_vmi_sync_total',
      help: 'Total number of times a VirtualMachineInstance has been synced.',
      labels: ['namespace', 'name'],
    },
    () => [...counts.values()].map(({ namespace, name, count }) => [{ namespace, name }, count] as const),
  )
  return async (request, context) => {
    const { namespace, name } = request
    const key = `${namespace}/${name}`
    const result = await reconciler(request, context)
    if (exists(namespace, name)) counts.getOrInsertComputed(key, () => ({ namespace, name, count: 0 })).count++
    else counts.delete(key)
    return result
  }
}
