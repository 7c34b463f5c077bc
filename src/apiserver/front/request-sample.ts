import type { Flow } from '#apiserver/flow-control/flow-control.ts'
import type { ResourceRegistry } from '#apiserver/registry/resource-definition.ts'
import type { RequestInfo } from '#apiserver/request/request-info.ts'

/** Metric labels of a request, of bounded cardinality whatever clients ask for. */
export interface SampleSubject {
  /** Empty for unknown methods. */
  readonly verb: string
  /** Empty for other resources than those served here. */
  readonly resource: string
  readonly group: string
  readonly subresource: string
}

/** One answered request, for metrics. */
export interface RequestSample extends SampleSubject {
  readonly code: number
  readonly durationMs: number
  readonly answerBytes: number
  /** FlowSchema and priority level; undefined when the user is unknown. */
  readonly flow: Pick<Flow, 'schema' | 'level'> | undefined
}

const pathVerbs: ReadonlySet<string> = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options'])
const commonSubresources: ReadonlySet<string> = new Set(['', 'status', 'scale'])

/** Derives labels from the served definitions. */
export function createSampleSubjects(registry: Pick<ResourceRegistry, 'find'>): (info: RequestInfo) => SampleSubject {
  return (info) => {
    const none = { resource: '', group: '', subresource: '' }
    if (info.kind === 'nonResource') return { verb: pathVerbs.has(info.verb) ? info.verb : '', ...none }
    const { verb, group, version, resource, subresource } = info
    const definition = registry.find(group, version, resource)
    if (definition === undefined) return { verb, ...none }
    const isKnown = commonSubresources.has(subresource) || definition.extraSubresources?.some(({ name }) => name === subresource) === true
    return { verb, group, resource, subresource: isKnown ? subresource : '' }
  }
}
