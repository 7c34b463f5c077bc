import type { PreferencePart } from '../apply/draft.ts'

/**
 * Sets display options of virtual GPUs without any. KubeVirt declares this preference and ignores
 * it.
 */
export const preferVirtualGpuOptionsInto: PreferencePart = (draft, preference) => {
  const options = preference.devices?.preferredVirtualGPUOptions
  if (options === undefined) return
  for (const gpu of draft.spec.domain.devices.gpus ?? []) gpu.virtualGPUOptions ??= structuredClone(options)
}
