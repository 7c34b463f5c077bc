import { compareVersions } from './compare-versions.ts'

/**
 * Position of a group version in discovery; higher first. The group's priority decides who gets a
 * short name that two groups claim.
 */
export interface GroupVersionPriority {
  readonly group: number
  readonly version: number
}

/** Returns the priority of a group version. */
export type Priorities = (group: string, version: string) => GroupVersionPriority

/** Priorities of Kubernetes' groups, from kube-apiserver. */
const builtinGroups: Readonly<Record<string, number>> = {
  '': 18_000,
  // The aggregator serves this group itself and lists it first.
  'apiregistration.k8s.io': 17_900,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
  'resource.k8s.io': 15_900,
}

/** Versions with other priorities than their number implies. */
const builtinVersions: Readonly<Record<string, number>> = { v1: 15, 'autoscaling/v2': 30 }

/** Default priorities. */
export const defaultPriorities: Priorities = (group, version) => {
  const known = builtinGroups[group]
  if (known === undefined) return { group: 1000, version: 100 }
  return { group: known, version: group === '' ? 1 : (builtinVersions[`${group}/${version}`] ?? builtinVersions[version] ?? 9) }
}

/** Sorts the versions of a group, the preferred one first. */
export function byVersionPriority(group: string, priorities: Priorities): (a: string, b: string) => number {
  return (a, b) => priorities(group, b).version - priorities(group, a).version || compareVersions(a, b)
}
