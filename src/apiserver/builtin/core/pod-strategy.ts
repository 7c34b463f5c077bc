import type { Container } from '#api/core/v1/container.ts'
import { isPodTerminal } from '#api/core/v1/pod-phase.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { forbiddenField } from '../checks/immutable-field.ts'
import { withPodSpecDefaults } from '../pod-spec/pod-spec-defaults.ts'
import { validatePodSpec } from '../pod-spec/validate-pod-spec.ts'
import { qualityOfService } from './quality-of-service.ts'

const defaultGraceSeconds = 30

/** Strategy of pods: pending at first, deleted gracefully, with a mostly immutable spec. */
export const podStrategy: Strategy = {
  prepareForCreate(object) {
    const pod = withDefaults(object as Pod)
    const next: Pod = { ...pod, status: { phase: 'Pending', qosClass: qualityOfService(pod), ...gatedStatus(pod) } }
    return next
  },
  prepareForUpdate: (object) => withDefaults(object as Pod),
  // Updates change so little of the spec that the rest need not be validated again.
  validate: (object, old) =>
    old === undefined ? validatePodSpec((object as Pod).spec, 'spec') : validateUpdate(object as Pod, old as Pod),
  gracePeriodSeconds: (object) => (object as Pod).spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds,
  // A pod without a node, or a finished one, needs no grace period.
  endsAtOnce(object) {
    const pod = object as Pod
    return (pod.spec?.nodeName ?? '') === '' || isPodTerminal(pod)
  },
}

/** Sets the condition of a pod with scheduling gates, as no scheduler looks at it. */
function gatedStatus({ spec }: Pod): Pick<NonNullable<Pod['status']>, 'conditions'> {
  if ((spec?.schedulingGates ?? []).length === 0) return {}
  const message = 'Scheduling is blocked due to non-empty scheduling gates'
  return { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message }] }
}

/** Sets defaults that depend on other fields. */
function withDefaults(pod: Pod): Pod {
  if (pod.spec === undefined) return pod
  const spec = withPodSpecDefaults(pod.spec)
  return {
    ...pod,
    spec: {
      ...spec,
      ...(spec.containers === undefined ? {} : { containers: spec.containers.map(withRequests) }),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withRequests) }),
      enableServiceLinks: spec.enableServiceLinks ?? true,
    },
  }
}

/** Defaults requests to limits. */
function withRequests(container: Container): Container {
  const { resources } = container
  if (resources?.limits === undefined) return container
  return { ...container, resources: { ...resources, requests: { ...resources.limits, ...resources.requests } } }
}

/** Mutable fields of the spec, besides images. */
const changeable: ReadonlySet<string> = new Set([
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
  'schedulingGates',
])

const frozenSpec =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function validateUpdate(pod: Pod, old: Pod): FieldError[] {
  if (deepEqual(pod.spec, old.spec)) return []
  const errors: FieldError[] = []
  if (!deepEqual(frozenPart(pod), frozenPart(old))) errors.push(forbiddenField('spec', frozenSpec))
  const gates = (old.spec.schedulingGates ?? []).map(({ name }) => name)
  if ((pod.spec.schedulingGates ?? []).some(({ name }) => !gates.includes(name))) {
    errors.push(forbiddenField('spec.schedulingGates', 'only deletion is allowed, but found new scheduling gates'))
  }
  const bears = pod.spec.tolerations ?? []
  if ((old.spec.tolerations ?? []).some((toleration) => !bears.some((other) => deepEqual(toleration, other)))) {
    errors.push(forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'))
  }
  return errors
}

function frozenPart({ spec }: Pod): unknown {
  const frozen = Object.fromEntries(Object.entries(spec).filter(([field]) => !changeable.has(field)))
  return { ...frozen, containers: spec.containers?.map(withoutImage), initContainers: spec.initContainers?.map(withoutImage) }
}

function withoutImage(container: Container): unknown {
  const { image: _, ...rest } = container
  return rest
}
