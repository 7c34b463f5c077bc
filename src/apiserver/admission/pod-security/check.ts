import type { Container, EphemeralContainer } from '#api/core/v1/container.ts'
import type { PodSpec } from '#api/core/v1/pod.ts'

/** Part of a pod or pod template that the Pod Security Standards are about. */
export interface PodPart {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined
  readonly spec: PodSpec
}

/** A rule that a pod breaks, in Kubernetes' words. */
export interface Violation {
  /** `hostPort` */
  readonly reason: string
  /** `container "c" uses hostPort 80`; may be empty. */
  readonly detail: string
}

/** One rule of the Pod Security Standards. Pure. */
export interface PodSecurityCheck {
  readonly id: string
  /** Minor version of Kubernetes 1.x that introduced the rule. */
  readonly since: number
  /** Baseline rule that this restricted one includes, so that only one of them reports. */
  readonly replaces?: string
  /** @param minor minor version of Kubernetes whose standard applies */
  run(pod: PodPart, minor: number): Violation | undefined
}

/** A container of any of the three lists. */
export type AnyContainer = Container | EphemeralContainer

/** All containers: init, regular, ephemeral. */
export function containersOf({ initContainers = [], containers, ephemeralContainers = [] }: PodSpec): readonly AnyContainer[] {
  return [...initContainers, ...containers, ...ephemeralContainers]
}

/** Names of the containers for which the predicate holds. */
export function namesWhere(spec: PodSpec, predicate: (container: AnyContainer) => boolean): string[] {
  return containersOf(spec).flatMap((container) => (predicate(container) ? [container.name] : []))
}

/** `"a", "b"` */
export function quoted(texts: Iterable<string>): string {
  return [...texts].map((text) => JSON.stringify(text)).join(', ')
}

/** Distinct values, sorted and quoted. */
export function quotedSet(texts: Iterable<string>): string {
  return quoted([...new Set(texts)].toSorted())
}

/** `container "a"` or `containers "a", "b"`. */
export function describeContainers(names: readonly string[]): string {
  return `${plural('container', names.length)} ${quoted(names)}`
}

/** `pod`, `container "a"`, or `pod and containers "a", "b"`. */
export function describeSetters(byPod: boolean, names: readonly string[]): string {
  return [...(byPod ? ['pod'] : []), ...(names.length === 0 ? [] : [describeContainers(names)])].join(' and ')
}

export function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`
}

/** Reports whether the pod is for Windows, where restricted rules about Linux do not apply. */
export function isWindows(spec: PodSpec, minor: number): boolean {
  return minor >= 25 && spec.os?.name === 'windows'
}
