import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { renderingInputOf, type ExplanationInput } from '../explain/why.ts'
import { keptGatesOf } from '../gates/gate-defaults.ts'
import { definitionName } from '../../components/rendering/components.ts'
import { wantedComponents } from '../../components/workloads/wanted-components.ts'
import { objectOf } from '../../components/rendering/rendering.ts'
import { nameOfOverride, type OverrideProblem } from './override.ts'
import { renderComponent } from './render-component.ts'

/** Stored objects from which components are rendered. Can be sent as JSON. */
export type PlatformObjects = ExplanationInput

/** Components as a release renders them. Can be sent as JSON. */
export interface RenderedPlatform {
  /** Components that the release knows, and that HyperConverged asks for. */
  readonly components: readonly {
    readonly name: string
    /** Name of its CRD. */
    readonly definition: string
    /** Versions of its API that the release writes. */
    readonly versions: readonly string[]
    /** Its object, with the overrides. */
    readonly object: Readonly<Record<string, unknown>>
  }[]
  readonly overrides: readonly TriedOverride[]
}

/** What becomes of an override in a release. */
export interface TriedOverride {
  /** `annotation kubevirt.kubevirt.io/jsonpatch` or `ComponentOverride slow-storage`. */
  readonly name: string
  readonly source: { readonly kind: 'annotation' | 'object'; readonly name: string }
  readonly component: string
  /** Paths of the object that have a value of the override. */
  readonly paths: readonly (readonly string[])[]
  /** Reason why it is not applied. `ComponentAbsent`: the release renders no such component. */
  readonly problem?: { readonly reason: OverrideProblem['reason'] | 'ComponentAbsent'; readonly message: string }
}

/**
 * Renders all components with their overrides as this release does, from the objects of another
 * one. `version`: that of this release. Pure.
 */
export function renderPlatform(objects: PlatformObjects, version: string): RenderedPlatform {
  const input = { ...renderingInputOf(objects), keptGates: keptGatesOf(objects.hyperconverged, version) }
  const rendered = wantedComponents(input).map((component) => ({ component, ...renderComponent(component, input) }))
  return {
    components: rendered.map(({ component, values }) => ({
      name: component.name,
      definition: definitionName(component),
      versions: component.versions,
      object: {
        apiVersion: apiVersionOf({ group: component.group, version: component.versions[0] ?? '' }),
        kind: component.kind,
        ...objectOf(values),
      },
    })),
    overrides: (input.overrides ?? []).map((override): TriedOverride => {
      const { source, component } = override
      const about = { name: nameOfOverride(source), source: { kind: source.kind, name: source.name }, component }
      const one = rendered.find((each) => each.component.name === component)
      if (one === undefined) {
        const message = `the release renders no object of ${component}`
        return { ...about, paths: [], problem: { reason: 'ComponentAbsent', message } }
      }
      const problem = one.overrides.find((result) => result.override === override)?.problem
      const paths = one.values.flatMap((value) =>
        value.source.kind === 'override' && value.source.override === source ? [value.path] : [],
      )
      return { ...about, paths, ...(problem === undefined ? {} : { problem }) }
    }),
  }
}
