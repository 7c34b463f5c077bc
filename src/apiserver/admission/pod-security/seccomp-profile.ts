import { containersOf, describeSetters, type PodPart, quotedSet, type Violation } from './check.ts'

const allowed = ['RuntimeDefault', 'Localhost']

/** Reports profiles that are set to another type than those of the runtime and the node. Pure. */
export function forbiddenSeccompProfile({ spec }: PodPart): Violation | undefined {
  const podType = spec.securityContext?.seccompProfile?.type
  const byPod = podType !== undefined && !allowed.includes(podType)
  const bad = containersOf(spec).flatMap(({ name, securityContext }) => {
    const type = securityContext?.seccompProfile?.type
    return type === undefined || allowed.includes(type) ? [] : [{ name, type }]
  })
  if (!byPod && bad.length === 0) return undefined
  const setters = describeSetters(
    byPod,
    bad.map(({ name }) => name),
  )
  const types = quotedSet([...(byPod ? [podType] : []), ...bad.map(({ type }) => type)])
  return { reason: 'seccompProfile', detail: `${setters} must not set securityContext.seccompProfile.type to ${types}` }
}
