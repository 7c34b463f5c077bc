import { isPatchFor } from '#features/operator/index.ts'
import { jsonPatch, type Finding } from '../finding.ts'
import { kubevirtPlace, type UpgradeInventory } from '../inventory.ts'

/**
 * Finds customize patches that apply to the installed objects and not to those of the new release.
 */
export function patchFindings(inventory: UpgradeInventory): Finding[] {
  if (inventory.objects.length === 0) return []
  const patches = inventory.kubevirt.spec.customizeComponents?.patches ?? []
  const { object, namespace } = kubevirtPlace(inventory)
  return patches.flatMap((patch, index): Finding[] => {
    const path = `/spec/customizeComponents/patches/${index}`
    const about = {
      object: `${object}${path}`,
      why: 'What it was to change would be as it is shipped',
      command: jsonPatch(object, namespace, [
        { op: 'test', path: `${path}/resourceName`, value: patch.resourceName },
        { op: 'remove', path },
      ]),
    }
    const field = `spec.customizeComponents.patches[${index}]`
    const problem = inventory.patchProblems.find((one) => one.index === index)
    if (problem !== undefined)
      return [{ ...about, id: 'PatchDoesNotApply', severity: 'forceable', what: `${field} ${problem.message} in ${inventory.to}` }]
    if (inventory.objects.some((candidate) => isPatchFor(patch, candidate))) return []
    const what = `${field} is for ${patch.resourceType} "${patch.resourceName}", and there is none in ${inventory.to}`
    return [{ ...about, id: 'PatchHasNoTarget', severity: 'warning', what }]
  })
}
