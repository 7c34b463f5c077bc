import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import { labelSelectorFromObject, SelectorError } from '#apimachinery/selectors/label-selector.ts'

/**
 * Compiles a selector. One that is invalid selects nothing: only releases that did not validate
 * policies have stored such.
 */
export function selectorOf(selector: LabelSelector | undefined): (labels: Readonly<Record<string, string>>) => boolean {
  try {
    const compiled = labelSelectorFromObject(selector)
    return (labels) => compiled.matches(labels)
  } catch (error) {
    if (error instanceof SelectorError) return () => false
    throw error
  }
}
