import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { kubeVirtFieldsNotActedOn } from '#api/kubevirt/v1/not-acted-on.generated.ts'
import { usedFields } from '#api/usage/used-fields.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { featureGates as knownGates } from '#features/cluster-config/index.ts'
import { validatePlacement } from '#features/operator/index.ts'
import { commonNames, enableAnnotation } from '../components/boot-images/boot-image.ts'
import { keptFieldsOf } from '../configuration/conversion/convert.ts'
import { consentProblems, consentWarnings } from '../configuration/gates/consent.ts'
import { findGate } from '../configuration/gates/feature-gates.ts'
import { operatorVersionOf } from '../configuration/gates/gate-defaults.ts'
import { gateWarnings, listedGates, readGates } from '../configuration/gates/read-gates.ts'
import type { OverrideResult } from '../configuration/overrides/apply-overrides.ts'
import { fieldOfOverride, overridesOf } from '../configuration/overrides/override.ts'
import { renderComponent, type RenderedComponent } from '../configuration/overrides/render-component.ts'
import { components } from '../components/rendering/components.ts'
import { objectOf, type RenderingInput } from '../components/rendering/rendering.ts'
import type { RenderingProblem } from '../components/rendering/value-source.ts'
import { onFailureProblems } from '../lifecycle/rollback/on-failure.ts'
import { valueAt } from '../value-at.ts'

type Spec = Pick<HyperConverged, 'spec' | 'metadata' | 'status'>

/**
 * Refuses values that no component could take. Values that were wrong before may stay, so that
 * others can be changed. Pure.
 */
export function validateHyperConverged(hyperconverged: Spec, old: Spec | undefined): readonly FieldError[] {
  const textOf = ({ field, message }: FieldError): string => `${field} ${message}`
  const known = new Set(old === undefined ? [] : errorsOf(old).map(textOf))
  // Several components may refuse one field for the same reason.
  const found = new Map(errorsOf(hyperconverged).map((error) => [textOf(error), error]))
  return [...found].flatMap(([text, error]) => (known.has(text) ? [] : [error]))
}

function errorsOf(hyperconverged: Spec): readonly FieldError[] {
  const problems = [
    ...renderedOf(hyperconverged).flatMap(({ problems, overrides }) => [...problems, ...overrides.flatMap(overrideProblems)]),
    ...certificateProblems(hyperconverged),
    ...consentProblems(hyperconverged),
    ...onFailureProblems(hyperconverged),
    ...importProblems(hyperconverged),
  ]
  const errors = problems.map(({ field, message }): FieldError => ({
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${message}`,
  }))
  return [...errors, ...placementErrors(hyperconverged)]
}

function overrideProblems({ override: { source }, problem }: OverrideResult): readonly RenderingProblem[] {
  return problem === undefined ? [] : [{ field: fieldOfOverride(source), message: problem.message }]
}

function placementErrors({ spec }: Spec): readonly FieldError[] {
  return Object.entries(spec?.deployment?.nodePlacements ?? {}).flatMap(([part, placement]) =>
    validatePlacement(placement ?? {}, `spec.deployment.nodePlacements.${part}`),
  )
}

/** Values do not depend on the nodes as far as they can be wrong. */
function renderedOf(hyperconverged: Spec): readonly RenderedComponent[] {
  const nodes = { workloadArchitectures: [], controlPlaneArchitectures: [], defaultArchitecture: undefined, controlPlanes: 0, workers: 0 }
  const overrides = overridesOf(hyperconverged, [], 0)
  const input: RenderingInput = { hyperconverged, nodes, version: '', namespace: '', environment: {}, overrides }
  return components.map((component) => renderComponent(component, input))
}

const root = 'security.certConfig'
const leastMs = 600_000

function certificateProblems({ spec }: Spec): readonly RenderingProblem[] {
  const defaults: Readonly<Record<string, string>> = {
    'ca.duration': '48h',
    'ca.renewBefore': '24h',
    'server.duration': '24h',
    'server.renewBefore': '12h',
  }
  const problems: RenderingProblem[] = []
  const ms = Object.fromEntries(
    Object.entries(defaults).map(([name, fallback]) => {
      const text = valueAt(spec, `${root}.${name}`.split('.')) ?? fallback
      const value = typeof text === 'string' ? durationMs(text) : undefined
      if (value === undefined || value < leastMs)
        problems.push({ field: `spec.${root}.${name}`, message: `must be a duration of at least 10m, and is ${JSON.stringify(text)}` })
      return [name, value ?? leastMs]
    }),
  )
  const atMost = (name: string, other: string): void => {
    if ((ms[name] ?? 0) > (ms[other] ?? 0)) problems.push({ field: `spec.${root}.${name}`, message: `must not be longer than ${other}` })
  }
  if (problems.length > 0) return problems
  atMost('ca.renewBefore', 'ca.duration')
  atMost('server.renewBefore', 'server.duration')
  atMost('server.duration', 'ca.duration')
  return problems
}

function importProblems({ spec }: Spec): readonly RenderingProblem[] {
  const seen = new Set<unknown>()
  return (spec?.workloadSources?.dataImportCronTemplates ?? []).flatMap((template, index): RenderingProblem[] => {
    const field = `spec.workloadSources.dataImportCronTemplates[${index}]`
    const name = valueAt(template, ['metadata', 'name'])
    const enable = valueAt(template, ['metadata', 'annotations', enableAnnotation])
    const isAgain = seen.has(name)
    seen.add(name)
    const problems: RenderingProblem[] = []
    if (typeof name !== 'string' || name === '') problems.push({ field: `${field}.metadata.name`, message: 'must be set' })
    else if (isAgain) problems.push({ field: `${field}.metadata.name`, message: `must be unique, and ${name} is there twice` })
    if (enable !== undefined && enable !== 'true' && enable !== 'false')
      problems.push({ field: `${field}.metadata.annotations[${enableAnnotation}]`, message: 'must be true or false' })
    if (enable !== 'false' && (template.spec === undefined || template.spec === null))
      problems.push({ field: `${field}.spec`, message: `must be set, unless the annotation ${enableAnnotation} is false` })
    for (const key of ['managedDataSource', 'retentionPolicy'])
      if (valueAt(template, ['spec', 'template', 'spec', key]) !== undefined)
        problems.push({ field: `${field}.spec.template.spec.${key}`, message: `belongs one level up: move it to spec.${key}` })
    return problems
  })
}

/** Returns warnings about what the user has set and nothing acts on. Pure. */
export function warnOfHyperConverged(hyperconverged: Spec): readonly string[] {
  const { spec } = hyperconverged
  const fields = [...new Set(fieldsNotActedOn(hyperconverged))]
  const gates = listedGates(spec?.featureGates).flatMap(({ name, isEnabled }) => {
    const row = findGate(name)
    const names = row?.kubevirt?.on ?? []
    const isIgnored =
      isEnabled && row?.phase !== 'discontinued' && names.length > 0 && !names.some((gate) => Object.hasOwn(knownGates, gate))
    return isIgnored ? [`featureGates[${name}]`] : []
  })
  return [
    ...gateWarnings(spec?.featureGates),
    ...importWarnings(hyperconverged),
    ...observabilityWarnings(hyperconverged),
    ...consentWarnings(hyperconverged, operatorVersionOf(hyperconverged)),
    ...overridesOf(hyperconverged, [], 0).map(
      ({ source, component }) =>
        `${fieldOfOverride(source)} changes what is rendered for ${component}, and a later release may render it differently: ` +
        'a ComponentOverride also has an owner, a reason and an end',
    ),
    ...ignoredFields(hyperconverged).map((field) => `spec.${field} of v1beta1 is kept, but has no effect`),
    ...[...fields, ...gates].map((field) => `spec.${field} is kept, but steadyvm's own KubeVirt does not act on it yet`),
  ]
}

/** The lists are those of a controller that a gate deploys. */
function observabilityWarnings({ spec }: Spec): readonly string[] {
  const { observability, featureGates } = spec ?? {}
  const gate = 'deployObservabilityController'
  if (observability === undefined || readGates(featureGates).get(gate)?.isOn === true) return []
  return [`spec.observability has no effect while the feature gate ${gate} is off`]
}

/** Templates with the name of a common image say how that one is imported. */
function importWarnings({ spec }: Spec): readonly string[] {
  const { enableCommonBootImageImport, dataImportCronTemplates = [] } = spec?.workloadSources ?? {}
  if (enableCommonBootImageImport !== false) return []
  return dataImportCronTemplates.flatMap((template, index) => {
    const name = valueAt(template, ['metadata', 'name'])
    return typeof name === 'string' && commonNames.includes(name)
      ? [
          `spec.workloadSources.dataImportCronTemplates[${index}] changes the common boot image ${name}, and is not imported ` +
            'while spec.workloadSources.enableCommonBootImageImport is false: give it another name',
        ]
      : []
  })
}

/** Fields of v1beta1 alone that upstream ignores, too. */
const ignoredInV1beta1 = [
  'localStorageClassName',
  'vddkInitImage',
  'tektonPipelinesNamespace',
  'tektonTasksNamespace',
  'obsoleteCPUs.minCPUModel',
]

function ignoredFields(hyperconverged: Spec): readonly string[] {
  const paths = keptFieldsOf(hyperconverged).map((path) => path.join('.'))
  return ignoredInV1beta1.filter((field) => paths.includes(field))
}

/** Fields that the user has set, and whose fields in the KubeVirt object nothing acts on. */
function fieldsNotActedOn(hyperconverged: Spec): readonly string[] {
  const [kubevirt] = renderedOf(hyperconverged)
  const values = kubevirt?.values ?? []
  const patterns = usedFields(objectOf(values)['spec'], kubeVirtFieldsNotActedOn)
  return values.flatMap(({ path, source }) => {
    const target = path.slice(1).join('.')
    const isIdle = patterns.some((pattern) => target === pattern || target.startsWith(`${pattern}.`))
    return source.kind === 'user' && isIdle ? [source.field] : []
  })
}
