import type { ResourceQuota } from '#api/core/v1/resource-quota.ts'
import type { FieldError } from '#apimachinery/errors.ts'
import { goStrings, invalidShown } from '../checks/go-values.ts'

const pods: readonly string[] = ['pods']
const compute: readonly string[] = ['', 'requests.', 'limits.'].flatMap((prefix) =>
  ['cpu', 'memory', 'ephemeral-storage'].map((name) => `${prefix}${name}`),
)
const claims: readonly string[] = ['persistentvolumeclaims', 'requests.storage']

/** Resources that a scope can count. */
const countable: Readonly<Record<string, readonly string[]>> = {
  BestEffort: pods,
  NotBestEffort: [...pods, ...compute],
  Terminating: [...pods, ...compute],
  NotTerminating: [...pods, ...compute],
  PriorityClass: [...pods, ...compute],
  CrossNamespacePodAffinity: [...pods, ...compute],
  VolumeAttributesClass: claims,
}

/** Standard resource names; scopes of others, such as `count/jobs.batch`, are not checked. */
const standard: ReadonlySet<string> = new Set([
  ...pods,
  ...compute,
  ...claims,
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
])

const opposites: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]

/** Validates the scopes of a quota. */
export function quotaScopeFaults({ scopes = [], hard = {} }: NonNullable<ResourceQuota['spec']>): readonly FieldError[] {
  const refuse = (why: string): FieldError => invalidShown('spec.scopes', goStrings(scopes, 'core.ResourceQuotaScope'), why)
  return [
    ...[...new Set(scopes)].flatMap((scope) => {
      const within = Object.hasOwn(countable, scope) ? countable[scope] : undefined
      if (within === undefined) return [refuse('unsupported scope')]
      const strays = Object.keys(hard).filter((name) => standard.has(name) && !within.includes(name))
      return strays.map(() => refuse('unsupported scope applied to resource'))
    }),
    ...opposites.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => refuse('conflicting scopes')),
  ]
}
