import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { ComponentOverride } from '#api/steadyvm/v1alpha1/component-override.ts'
import type { Node } from '#api/core/v1/node.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { findGate } from '../gates/feature-gates.ts'
import { keptGatesOf, operatorVersionOf } from '../gates/gate-defaults.ts'
import { readGates } from '../gates/read-gates.ts'
import { nameOfOverride, overridesOf } from '../overrides/override.ts'
import { renderComponent } from '../overrides/render-component.ts'
import { wantedComponents } from '../../components/workloads/wanted-components.ts'
import { inputsFrom } from '../../components/rendering/settings.ts'
import { nodeFactsOf } from '../../components/rendering/node-facts.ts'
import { gateSource, type RenderingInput } from '../../components/rendering/rendering.ts'
import { nameOfItem, pathOf, type SourcedValue, type ValueSource } from '../../components/rendering/value-source.ts'

/** A value of a component, and where it comes from. */
export interface ExplainedValue {
  /** Name of the component; `hyperconverged` for a gate that no component has a value from. */
  readonly component: string
  /** Path in the object of the component: `spec.configuration.migrations.network`. */
  readonly path: string
  readonly value: unknown
  readonly source: ValueSource
}

/** Objects that the values depend on. */
export interface ExplanationInput {
  readonly hyperconverged: HyperConverged
  readonly nodes: readonly Node[]
  /** Version and settings are those that the running operator has written. */
  readonly kubevirt: KubeVirt | undefined
  readonly overrides: readonly ComponentOverride[]
  /** Time in milliseconds, at which overrides may have expired. */
  readonly now: number
}

/**
 * Explains the values of all components that HyperConverged asks for. `path` selects by the field
 * of HyperConverged, a feature gate, a component or the path in its object. Pure.
 */
export function explainHyperConverged(explained: ExplanationInput, path?: string): readonly ExplainedValue[] {
  const input = renderingInputOf(explained)
  const all = wantedComponents(input).flatMap((component) =>
    renderComponent(component, input).values.map((value) => explainedValue(component.name, value)),
  )
  if (path === undefined) return all
  const wanted = path.replace(/^spec\./, '')
  const selected = all.filter((value) => isSelected(value, wanted))
  return selected.length > 0 ? selected : gateOf(wanted, input)
}

/** A gate that no component has a value from, since it is off or has no effect. */
function gateOf(wanted: string, { hyperconverged, keptGates }: RenderingInput): readonly ExplainedValue[] {
  const row = findGate(wanted.replace(/^featureGates[.[]/, '').replace(/\]$/, ''))
  const state = row === undefined ? undefined : readGates(hyperconverged.spec?.featureGates, keptGates).get(row.name)
  if (row === undefined || state === undefined) return []
  const value = state.isOn ? 'Enabled' : 'Disabled'
  return [{ component: 'hyperconverged', path: `spec.featureGates[${row.name}]`, value, source: gateSource(state) }]
}

/** Returns what the running operator renders from, as far as its objects tell. Pure. */
export function renderingInputOf({ hyperconverged, nodes, kubevirt, overrides, now }: ExplanationInput): RenderingInput {
  return {
    hyperconverged,
    nodes: nodeFactsOf(nodes, hyperconverged),
    version: kubevirt?.spec.productVersion ?? '',
    namespace: hyperconverged.metadata.namespace ?? '',
    ...inputsFrom(hyperconverged.status?.steadyvm?.inputs ?? {}),
    overrides: overridesOf(hyperconverged, overrides, now),
    keptGates: keptGatesOf(hyperconverged, runningVersionOf(hyperconverged) ?? ''),
  }
}

/** Version of the operator that configures the components: in an upgrade, the new one. */
function runningVersionOf(hyperconverged: HyperConverged): string | undefined {
  const upgrade = hyperconverged.status?.steadyvm?.upgrade
  const isUnderWay = upgrade !== undefined && upgrade.completedAt === undefined && upgrade.stage !== 'Preflight'
  return isUnderWay ? upgrade.to : operatorVersionOf(hyperconverged)
}

function explainedValue(component: string, { path, value, isItem, source }: SourcedValue): ExplainedValue {
  return {
    component,
    path: isItem === true ? `${path.join('.')}[${nameOfItem(value)}]` : path.join('.'),
    value: isItem === true && typeof value === 'string' ? true : value,
    source,
  }
}

function isSelected(value: ExplainedValue, wanted: string): boolean {
  const { component, path, source } = value
  if (source.kind === 'override' && source.replaced !== undefined && isSelected({ ...value, source: source.replaced }, wanted)) return true
  const isAt = (text: string): boolean => text === wanted || text.startsWith(`${wanted}.`) || text.startsWith(`${wanted}[`)
  const field =
    source.kind === 'user' || source.kind === 'default' || source.kind === 'patch'
      ? source.field
      : source.kind === 'gate'
        ? `featureGates.${source.gate}`
        : ''
  const gate = source.kind === 'gate' && source.gate.toLowerCase() === wanted.toLowerCase()
  // A value may hold a whole field, and the path a part of it.
  return (
    component === wanted || gate || isAt(field) || (field !== '' && wanted.startsWith(`${field}.`)) || isAt(path.replace(/^spec\./, ''))
  )
}

/** Says where a value comes from, as one phrase. Pure. */
export function phraseOf(source: ValueSource): string {
  switch (source.kind) {
    case 'user':
      return pathOf(source.field)
    case 'default':
      return `${defaultPhrases[source.of]} of spec.${source.field}`
    case 'patch':
      return `upgrade patch ${source.patch} to ${source.version}, of ${pathOf(source.field)}`
    case 'gate':
      return `feature gate ${source.gate}${gatePhrases[source.because]}`
    case 'cluster':
      return source.what
    case 'fixed':
      return `fixed: ${source.why}`
    case 'override':
      return `${nameOfOverride(source.override)}${source.override.kind === 'object' ? ` of ${source.override.owner}: ${source.override.reason}` : ''}`
  }
}

const gatePhrases = { user: '', phase: ', by the default of its phase', kept: ', kept until consent' } as const

const defaultPhrases = {
  static: 'default',
  schema: 'default in the schema',
  webhook: 'default for new objects',
  late: 'default that the nodes decide',
} as const
