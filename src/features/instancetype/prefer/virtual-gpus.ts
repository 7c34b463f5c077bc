import type { PreferencePart } from '../apply/draft.ts'

/**
 * Display options of virtual GPUs that have none. KubeVirt declares this preference and never
 * applies it.
 */
export const preferVirtualGpuOptionsInto: PreferencePart = (draft, preference) => {
  const options = preference.devices?.preferredVirtualGPUOptions
  if (options === undefined) return
  for (const gpu of draft.spec.domain.devices.gpus ?? []) gpu.virtualGPUOptions ??= structuredClone(options)
}
