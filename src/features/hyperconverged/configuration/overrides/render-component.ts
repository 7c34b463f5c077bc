import type { Component } from '../../components/rendering/components.ts'
import type { Rendered, RenderingInput } from '../../components/rendering/rendering.ts'
import { applyOverrides, type OverrideResult } from './apply-overrides.ts'

/** Values of a component with its overrides, and what became of those. */
export interface RenderedComponent extends Rendered {
  readonly overrides: readonly OverrideResult[]
}

/** Renders a component and applies its overrides. Pure. */
export function renderComponent({ name, render }: Pick<Component, 'name' | 'render'>, input: RenderingInput): RenderedComponent {
  const rendered = render(input)
  const { values, results } = applyOverrides(
    rendered.values,
    (input.overrides ?? []).filter(({ component }) => component === name),
  )
  return { ...rendered, values, overrides: results }
}
