import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { AdmissionPlugin, AdmissionRequest } from './chain.ts'

/** Lets every plugin change the object in turn. Gives the very same object when none did. @throws StatusError when one refuses */
export async function runMutating(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<KubeObject | undefined> {
  let { object } = request
  for (const plugin of plugins) {
    if (plugin.mutate === undefined) continue
    const result = plugin.mutate(object === request.object ? request : { ...request, object })
    // Most plugins answer at once; waiting for each would cost every write several turns of the event loop.
    const changed = result instanceof Promise ? await result : result
    object = changed ?? object
  }
  return object
}

/** Lets every plugin refuse. @throws StatusError when one does */
export async function runValidating(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<void> {
  for (const plugin of plugins) {
    const result = plugin.validate?.(request)
    if (result instanceof Promise) await result
  }
}
