import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { invalidValue } from '#apimachinery/field-messages.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { compareQuantities, isQuantity, parseQuantity } from '#apimachinery/quantity.ts'
import { isMirrorPod } from '#apiserver/admission/pods/pod-request.ts'
import { defined } from '#apiserver/codec/scale-view.ts'
import { forbiddenField } from '#apiserver/builtin/checks/immutable-field.ts'
import { qualityOfService } from '#apiserver/builtin/core/quality-of-service.ts'
import type { Target } from '#apiserver/request/api-request.ts'

type Amounts = Readonly<Record<string, string | number>> | undefined
type Containers = 'containers' | 'initContainers'

const lists: readonly Containers[] = ['containers', 'initContainers']
/** Resources of a running container that can be changed. */
const resizable: readonly string[] = ['cpu', 'memory']

/** Reports whether the target is the resize subresource of a pod. */
export function isResize({ definition, subresource }: Pick<Target, 'definition' | 'subresource'>): boolean {
  return subresource === 'resize' && definition.storageKey === '/pods'
}

/**
 * Applies a write of the resize subresource: it changes resources and resize policies of
 * containers. Added, removed or renamed containers stay as they were sent, for the validation.
 */
export function withResizedContainers(old: KubeObject, next: KubeObject): KubeObject {
  const [before, after] = [old as Pod, next as Pod]
  const { resourceVersion, uid, managedFields } = after.metadata
  const metadata = { ...before.metadata, ...defined({ resourceVersion, uid, managedFields }) }
  if (!lists.every((list) => namesOf(before, list).join() === namesOf(after, list).join())) return { ...after, metadata }
  const spec = { ...before.spec }
  for (const list of lists) {
    const containers = before.spec[list]
    if (containers !== undefined) spec[list] = containers.map((container, index) => resized(container, after.spec[list]?.[index]))
  }
  return { ...before, metadata, spec } as Pod
}

/** Validates a pod that a write of its resize subresource has changed, in Kubernetes' words. */
export function validateResize(object: KubeObject, old: KubeObject): FieldError[] {
  const [pod, before] = [object as Pod, old as Pod]
  if (isMirrorPod(before)) return [forbiddenField('', 'static pods cannot be resized')]
  const errors: FieldError[] = []
  if (qualityOfService(pod) !== qualityOfService(before)) {
    const why = 'Pod QOS Class may not change as a result of resizing'
    errors.push(invalidValue('spec', before.status?.qosClass ?? '', why))
  }
  const running = before.status?.containerStatuses?.find(({ state }) => state?.running !== undefined)
  if (running !== undefined && running.resources === undefined)
    errors.push(forbiddenField('spec', 'Pod running on node without support for resize'))
  for (const list of lists) {
    const reordered = orderFault(pod, before, list)
    if (reordered !== undefined) return [...errors, reordered]
    for (const [index, container] of (before.spec[list] ?? []).entries()) {
      const next = pod.spec[list]?.[index]
      if (next === undefined || deepEqual(next, container)) continue
      if (list === 'initContainers' && container.restartPolicy !== 'Always')
        errors.push(forbiddenField('spec', 'resources for non-sidecar init containers are immutable'))
      else errors.push(...containerFaults(next, container, `spec.${list}[${index}].resources`))
    }
  }
  return errors
}

function resized(container: Container, next: Container | undefined): Container {
  const { resources: _resources, resizePolicy: _policy, ...rest } = container
  const { resources, resizePolicy } = next ?? {}
  return { ...rest, ...defined({ resources, resizePolicy }) }
}

function namesOf({ spec }: Pod, list: Containers): readonly string[] {
  return (spec?.[list] ?? []).map(({ name }) => name)
}

function orderFault(pod: Pod, old: Pod, list: Containers): FieldError | undefined {
  const [names, before] = [namesOf(pod, list), namesOf(old, list)]
  if (names.length !== before.length) return forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`)
  const index = before.findIndex((name, place) => names[place] !== name)
  if (index === -1) return undefined
  return forbiddenField(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)
}

function containerFaults({ resources = {}, resizePolicy }: Container, { resources: old = {} }: Container, field: string): FieldError[] {
  const errors = (['requests', 'limits'] as const)
    .filter((kind) => Object.keys(old[kind] ?? {}).some((name) => resources[kind]?.[name] === undefined))
    .map((kind) => forbiddenField(`${field}.${kind}`, `resource ${kind} cannot be removed`))
  const restarts = resizePolicy?.some(
    ({ resourceName, restartPolicy }) => resourceName === 'memory' && restartPolicy === 'RestartContainer',
  )
  const change = restarts === true ? undefined : memoryLimitFault(resources.limits, old.limits)
  if (change !== undefined) {
    const why = `memory limits cannot be ${change} unless resizePolicy is RestartContainer`
    errors.push(forbiddenField(`${field}.limits[memory]`, why))
  }
  if (!deepEqual(fixedPart(resources), fixedPart(old))) errors.push(forbiddenField('spec', 'only cpu and memory resources are mutable'))
  errors.push(...excesses(resources, field))
  return errors
}

function memoryLimitFault(limits: Amounts, old: Amounts): 'added' | 'decreased' | undefined {
  const [limit, before] = [limits?.['memory'], old?.['memory']]
  if (limit === undefined) return undefined
  if (before === undefined) return 'added'
  return isLess(limit, before) ? 'decreased' : undefined
}

function excesses({ requests, limits }: NonNullable<Container['resources']>, field: string): FieldError[] {
  return resizable.flatMap((name) => {
    const [request, limit] = [requests?.[name], limits?.[name]]
    if (request === undefined || limit === undefined || !isLess(limit, request)) return []
    return [invalidValue(`${field}.requests`, String(request), `must be less than or equal to ${name} limit of ${limit}`)]
  })
}

/** Malformed quantities are left to the schema. */
function isLess(a: string | number, b: string | number): boolean {
  return isQuantity(a) && isQuantity(b) && compareQuantities(parseQuantity(a), parseQuantity(b)) < 0
}

function fixedPart(resources: NonNullable<Container['resources']>): object {
  const rest = (amounts: Amounts): object => Object.fromEntries(Object.entries(amounts ?? {}).filter(([name]) => !resizable.includes(name)))
  return { ...resources, requests: rest(resources.requests), limits: rest(resources.limits) }
}
