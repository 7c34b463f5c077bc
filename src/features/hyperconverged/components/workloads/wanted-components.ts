import { components, type Component } from '../rendering/components.ts'
import type { RenderingInput } from '../rendering/rendering.ts'
import { wantedWorkloads } from './workload-components.ts'

/**
 * Returns the components that HyperConverged asks for, with the objects of the workloads that can
 * run. Pure.
 */
export function wantedComponents(input: RenderingInput): readonly Component[] {
  return [
    ...components.filter(({ isWanted }) => isWanted?.(input.hyperconverged) ?? true),
    ...wantedWorkloads(input).filter(({ absence }) => absence === undefined),
  ]
}
