import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { trackingFinalizer } from './names.ts'

/** Removes the finalizer from a pod that is counted, or will never be. */
export async function releasePod(client: Client, { metadata }: Pod, signal: AbortSignal): Promise<void> {
  const { namespace = '', name = '', uid, resourceVersion } = metadata
  const finalizers = (metadata.finalizers ?? []).filter((one) => one !== trackingFinalizer)
  const body = { metadata: { uid, resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } }
  try {
    await client.patch(pods, { namespace, name }, { type: 'merge', body }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
