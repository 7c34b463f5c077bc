import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { validateLabelValue } from '#apimachinery/meta/name-rules.ts'
import { readCertificateDurations } from '#features/certificates/index.ts'
import { isPatchFor, needsReplicas, parsePatch, PatchUnusable } from './manifests/customize-patches.ts'
import { validatePlacement } from './manifests/placement.ts'
import { infraSettingsOf } from './manifests/infra-settings.ts'
import { objectsOf, installStrategyOf, type InstallStrategy } from './manifests/install-strategy.ts'

/** A setting that cannot be applied. */
interface InstallationProblem {
  /** Path from the object's root. */
  readonly field: string
  readonly message: string
}

/**
 * Rejects settings that the operator could not apply. Existing problems may stay, so that other
 * fields can be changed. Pure.
 */
export function validateInstallation(kubevirt: KubeVirt, old: KubeVirt | undefined): StatusCause[] {
  const known = new Set(old === undefined ? [] : problemsOf(old).map(textOf))
  return problemsOf(kubevirt)
    .filter((problem) => !known.has(textOf(problem)))
    .map((problem) => ({ reason: 'FieldValueInvalid', field: problem.field, message: textOf(problem) }))
}

/** Warns of settings that have no effect. Pure. */
export function warnOfInstallation(kubevirt: KubeVirt): string[] {
  const objects = objectsOf(installationOf(kubevirt))
  return (kubevirt.spec.customizeComponents?.patches ?? []).flatMap((patch, index) =>
    objects.some((object) => isPatchFor(patch, object))
      ? []
      : [`${patchField(index)} is about ${patch.resourceType} "${patch.resourceName}", which is nothing that is installed`],
  )
}

function problemsOf(kubevirt: KubeVirt): readonly InstallationProblem[] {
  const { infra, workloads, imagePullPolicy = '', uninstallStrategy = '', productVersion, productName, productComponent } = kubevirt.spec
  const problems: InstallationProblem[] = [...readCertificateDurations(kubevirt).problems]
  const refuse = (field: string, message: string): void => void problems.push({ field: `spec.${field}`, message })
  if (infra?.replicas !== undefined && infra.replicas < 1) refuse('infra.replicas', needsReplicas(infra.replicas))
  if (workloads?.replicas !== undefined) refuse('workloads.replicas', 'must not be set: there is one node agent on each node')
  if (!['', 'Always', 'IfNotPresent', 'Never'].includes(imagePullPolicy))
    refuse('imagePullPolicy', `must be Always, IfNotPresent or Never, and is ${JSON.stringify(imagePullPolicy)}`)
  if (!['', 'RemoveWorkloads', 'BlockUninstallIfWorkloadsExist'].includes(uninstallStrategy))
    refuse('uninstallStrategy', `must be RemoveWorkloads or BlockUninstallIfWorkloadsExist, and is ${JSON.stringify(uninstallStrategy)}`)
  for (const [field, value = ''] of Object.entries({ productVersion, productName, productComponent }))
    for (const why of validateLabelValue(value)) refuse(field, `becomes a label: ${why}`)
  const placements = Object.entries({ infra, workloads }).flatMap(([part, config]) =>
    validatePlacement(config?.nodePlacement ?? {}, `spec.${part}.nodePlacement`),
  )
  return [...problems, ...placements, ...patchProblems(kubevirt)]
}

function patchProblems(kubevirt: KubeVirt): readonly InstallationProblem[] {
  const patches = kubevirt.spec.customizeComponents?.patches ?? []
  const found = patches.flatMap((patch, index): PatchUnusable[] => {
    try {
      parsePatch(patch, index)
      return []
    } catch (error) {
      if (error instanceof PatchUnusable) return [error]
      throw error
    }
  })
  const all = [...found, ...installationOf(kubevirt).problems]
  const first = [...new Map(all.toReversed().map((problem) => [problem.index, problem])).values()].toReversed()
  return first.map(({ index, message }) => ({ field: patchField(index), message }))
}

function patchField(index: number): string {
  return `spec.customizeComponents.patches[${index}]`
}

/** Renders what would be installed, with a placeholder for the location. */
function installationOf({ spec, metadata, status = {} }: KubeVirt): InstallStrategy {
  const target = {
    version: spec.imageTag || status.targetKubeVirtVersion || '',
    registry: spec.imageRegistry || status.targetKubeVirtRegistry || '',
    namespace: metadata.namespace ?? '',
    platform: { args: {}, environment: {}, annotations: {}, controlPlaneNode: '' },
  }
  return installStrategyOf(target, infraSettingsOf(spec))
}

function textOf({ field, message }: InstallationProblem): string {
  return `${field} ${message}`
}
