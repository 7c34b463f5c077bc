import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { PlatformObjects, RenderedPlatform } from '#features/hyperconverged/index.ts'
import { hyperConvergedOf, type UpgradeLists } from '../inventory.ts'

/**
 * Renders the components of HyperConverged as a release does. `gap` says why it was another one
 * that rendered them, or that none could.
 */
export type RenderRelease = (
  to: string,
  objects: PlatformObjects,
) => Promise<{ readonly platform: RenderedPlatform | undefined; readonly gap?: string }>

/** Renders the components as the requested release does, if there is an override to try. */
export async function renderOverrides(
  { to, nowMs, render }: { readonly to: string; readonly nowMs: number; readonly render: RenderRelease },
  lists: Pick<UpgradeLists, 'hyperconvergeds' | 'overrides' | 'nodes'> & { readonly kubevirt: KubeVirt },
): Promise<{ readonly platform: RenderedPlatform | undefined; readonly gaps: readonly string[] }> {
  const { overrides, nodes, kubevirt } = lists
  const hyperconverged = hyperConvergedOf(lists)
  const hasAnnotation = Object.keys(hyperconverged?.metadata.annotations ?? {}).some((name) => name.endsWith('/jsonpatch'))
  if (hyperconverged === undefined || (overrides.length === 0 && !hasAnnotation)) return { platform: undefined, gaps: [] }
  const { platform, gap } = await render(to, { hyperconverged, overrides, nodes, kubevirt, now: nowMs })
  return { platform, gaps: gap === undefined ? [] : [gap] }
}
