import { labelSelectorFromObject, type LabelSelectorObject } from './label-selector.ts'
import { SelectorError } from './selector-error.ts'

/**
 * Returns what is wrong with a selector that should select objects with these labels, in KubeVirt's
 * words; undefined for one that does. An empty one would select the objects of others, too.
 */
export function whyNotSelected(selector: LabelSelectorObject, labels: Readonly<Record<string, string>> | undefined): string | undefined {
  try {
    const compiled = labelSelectorFromObject(selector)
    return compiled.requirements.length > 0 && compiled.matches(labels) ? undefined : 'selector does not match labels.'
  } catch (error) {
    if (error instanceof SelectorError) return error.message
    throw error
  }
}
