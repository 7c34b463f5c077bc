import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { isTrue } from '#apimachinery/conditions.ts'
import type { Client } from '#client/client.ts'

/**
 * Waits for condition Established, which follows the write of a CRD. Rejects when the signal
 * aborts.
 */
export async function established(client: Client, name: string, signal?: AbortSignal): Promise<void> {
  const fieldSelector = `metadata.name=${name}`
  const isEstablished = ({ status }: CustomResourceDefinition): boolean => isTrue(status?.conditions, 'Established')
  for (;;) {
    const { items, metadata } = await client.list(customResourceDefinitions, {
      fieldSelector,
      ...(signal === undefined ? {} : { signal }),
    })
    if (items.some(isEstablished)) return
    const stop = new AbortController()
    const changes = client.watch(customResourceDefinitions, {
      fieldSelector,
      resourceVersion: metadata?.resourceVersion ?? '',
      signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
    })
    for await (const { object } of changes) if (isEstablished(object as CustomResourceDefinition)) return stop.abort()
  }
}
