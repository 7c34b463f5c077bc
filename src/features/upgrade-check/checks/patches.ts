import type { CustomizeComponentsPatch } from '#api/kubevirt/v1/kubevirt.ts'
import * as apps from '#api/apps/v1/schema.generated.ts'
import * as core from '#api/core/v1/schema.generated.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyJsonPatch, type JsonPatchOperation } from '#apimachinery/patch/json-patch.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { applyStrategicMerge } from '#apimachinery/patch/strategic-merge.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { jsonPatch, type Finding } from '../finding.ts'
import { kubevirtPlace, type UpgradeWorld } from '../world.ts'

/** Patches of what is installed that fit what was installed when they were written, and not what is to be. */
export function patchFindings(world: UpgradeWorld): Finding[] {
  if (world.objects.length === 0) return []
  const patches = world.kubevirt.spec.customizeComponents?.patches ?? []
  const { object, namespace } = kubevirtPlace(world)
  return patches.flatMap((patch, index): Finding[] => {
    const path = `/spec/customizeComponents/patches/${index}`
    const about = {
      object: `${object}${path}`,
      command: jsonPatch(object, namespace, [
        { op: 'test', path: `${path}/resourceName`, value: patch.resourceName },
        { op: 'remove', path },
      ]),
    }
    const targets = world.objects.filter((candidate) => isFor(patch, candidate))
    if (targets.length === 0) {
      const what = `No ${patch.resourceType} named "${patch.resourceName}" is in ${world.to}, which spec.customizeComponents.patches[${index}] is for`
      return [{ ...about, id: 'PatchHasNoTarget', severity: 'warning', what, why: 'What it was to change will be as it is shipped' }]
    }
    const problem = targets.map((target) => problemOf(patch, target)).find((found) => found !== undefined)
    if (problem === undefined) return []
    const what = `spec.customizeComponents.patches[${index}] cannot be applied to ${patch.resourceType} "${patch.resourceName}" of ${world.to}: ${problem}`
    return [{ ...about, id: 'PatchDoesNotApply', severity: 'blocking', what, why: 'Nothing could be installed that the patch is for' }]
  })
}

function isFor({ resourceType, resourceName }: CustomizeComponentsPatch, { kind, metadata }: KubeObject): boolean {
  return kind?.toLowerCase() === resourceType.toLowerCase() && (resourceName === '*' || metadata?.name === resourceName)
}

/** What a strategic patch needs to know of kinds that have lists. */
const schemas: Readonly<Record<string, StructuralSchema>> = {
  Deployment: apps.Deployment,
  DaemonSet: apps.DaemonSet,
  Service: core.Service,
}

/** Undefined when the patch can be applied. */
function problemOf({ type, patch }: CustomizeComponentsPatch, target: KubeObject): string | undefined {
  try {
    const body: unknown = JSON.parse(patch)
    if (type === 'json') applyJsonPatch(target, body as JsonPatchOperation[])
    else if (type === 'merge') applyMergePatch(target, body)
    else if (type === 'strategic') applyStrategicMerge(target, body, schemas[target.kind ?? ''] ?? { type: 'object' })
    else return `its type "${type}" is none of json, merge and strategic`
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
