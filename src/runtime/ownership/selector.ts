import type { LabelSelector as SelectorObject } from '#api/meta/v1/label-selector.ts'
import { type LabelSelector, labelSelectorFromObject, SelectorError } from '#apimachinery/selectors/label-selector.ts'

const parsed = new WeakMap<SelectorObject, LabelSelector | undefined>()

/**
 * The selector of a workload; undefined when it cannot be understood or would take everything,
 * which no workload may.
 */
export function workloadSelector(selector: SelectorObject | undefined): LabelSelector | undefined {
  if (selector === undefined) return undefined
  if (!parsed.has(selector)) parsed.set(selector, parse(selector))
  return parsed.get(selector)
}

function parse(selector: SelectorObject): LabelSelector | undefined {
  try {
    const compiled = labelSelectorFromObject(selector)
    return compiled.requirements.length === 0 ? undefined : compiled
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}
