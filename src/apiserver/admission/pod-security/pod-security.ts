import type { Namespace } from '#api/core/v1/namespace.ts'
import type { Pod, PodTemplateSpec } from '#api/core/v1/pod.ts'
import { forbidden, invalid } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../chain.ts'
import { podsKey } from '../pods/pod-request.ts'
import type { PodPart } from './check.ts'
import { describeViolations, violationsOf } from './evaluate.ts'
import { summarizePods } from './namespace-warnings.ts'
import { compareLevels, describeStandard, policyOf } from './policy.ts'
import { isSignificantUpdate } from './significant-update.ts'

const namespacesKey = '/namespaces'
/** A namespace update checks at most this many pods, as it is answered synchronously. */
const mostPods = 3_000

/** Pod template of each workload kind, by storage key. */
const templates: ReadonlyMap<string, (object: KubeObject) => PodTemplateSpec | undefined> = new Map([
  ...['apps/deployments', 'apps/replicasets', 'apps/daemonsets', 'apps/statefulsets', 'batch/jobs', '/replicationcontrollers'].map(
    (key) => [key, (object: KubeObject) => (object as Workload).spec?.template] as const,
  ),
  ['batch/cronjobs', (object) => (object as CronWorkload).spec?.jobTemplate?.spec?.template] as const,
  ['/podtemplates', (object) => (object as { readonly template?: PodTemplateSpec }).template] as const,
])

interface Workload extends KubeObject {
  readonly spec?: { readonly template?: PodTemplateSpec }
}

interface CronWorkload extends KubeObject {
  readonly spec?: { readonly jobTemplate?: { readonly spec?: { readonly template?: PodTemplateSpec } } }
}

/**
 * Enforces the Pod Security Standards that the labels of namespaces ask for: refuses pods, warns
 * about workloads, and warns about existing pods when a namespace becomes stricter. There are no
 * exemptions.
 */
export function createPodSecurity(store: Pick<ObjectStore, 'get' | 'list'>): AdmissionPlugin {
  const policyIn = (namespace: string): ReturnType<typeof policyOf>['policy'] =>
    policyOf(store.get(namespacesKey, '', namespace)?.object.metadata?.labels).policy

  const checkPod = (request: AdmissionRequest): void => {
    const { target, object, context } = request
    if (target.subresource !== '' && target.subresource !== 'ephemeralcontainers') return
    if (request.operation === 'UPDATE' && !isSignificantUpdate(object as Pod, request.old as Pod)) return
    const { enforce } = policyIn(target.namespace ?? '')
    context.annotate?.('pod-security.kubernetes.io/enforce-policy', describeStandard(enforce))
    const violations = violationsOf(object as Pod, enforce)
    audit(request, object as Pod)
    if (violations.length > 0) {
      const name = target.name === '' ? (object?.metadata?.name ?? '') : target.name
      const why = `violates PodSecurity ${JSON.stringify(describeStandard(enforce))}: ${describeViolations(violations)}`
      throw forbidden(target.definition, name, why)
    }
    warn(request, object as Pod)
  }

  const checkWorkload = (request: AdmissionRequest, template: PodTemplateSpec | undefined): void => {
    if (request.target.subresource !== '' || template?.spec === undefined) return
    const pod: PodPart = { metadata: template.metadata, spec: template.spec }
    audit(request, pod)
    warn(request, pod)
  }

  const audit = ({ target, context }: AdmissionRequest, pod: PodPart): void => {
    const standard = policyIn(target.namespace ?? '').audit
    const violations = violationsOf(pod, standard)
    if (violations.length === 0) return
    const text = `would violate PodSecurity ${JSON.stringify(describeStandard(standard))}: ${describeViolations(violations)}`
    context.annotate?.('pod-security.kubernetes.io/audit-violations', text)
  }

  const warn = ({ target, context }: AdmissionRequest, pod: PodPart): void => {
    const standard = policyIn(target.namespace ?? '').warn
    const violations = violationsOf(pod, standard)
    if (violations.length === 0) return
    context.warn(`would violate PodSecurity ${JSON.stringify(describeStandard(standard))}: ${describeViolations(violations)}`)
  }

  const checkNamespace = ({ operation, target, object, old, context }: AdmissionRequest): void => {
    if (target.subresource !== '') return
    const name = (object as Namespace).metadata.name ?? ''
    const next = policyOf(object?.metadata?.labels)
    const before = policyOf(old?.metadata?.labels)
    // An object that was stored with a bad label can be changed otherwise.
    const areNew = operation === 'CREATE' || JSON.stringify(next.errors) !== JSON.stringify(before.errors)
    if (next.errors.length > 0 && areNew) throw invalid({ group: '', kind: 'Namespace' }, name, [...next.errors])
    if (operation === 'CREATE') return
    const [{ enforce }, was] = [next.policy, before.policy.enforce]
    const isSame = enforce.level === was.level && enforce.version === was.version
    const isRelaxed = enforce.version === was.version && compareLevels(enforce.level, was.level) <= 0
    if (isSame || isRelaxed || enforce.level === 'privileged') return
    const pods = store.list(podsKey, name)
    const checked = pods.slice(0, mostPods).map((entry) => entry.object as Pod)
    for (const warning of summarizePods({ namespace: name, enforce, pods: checked, total: pods.length })) context.warn(warning)
  }

  return {
    name: 'PodSecurity',
    resources: new Set([namespacesKey, podsKey, ...templates.keys()]),
    validate(request) {
      const { operation, target, object } = request
      if ((operation !== 'CREATE' && operation !== 'UPDATE') || object === undefined) return
      const key = target.definition.storageKey
      if (key === namespacesKey) checkNamespace(request)
      else if (key === podsKey) checkPod(request)
      else checkWorkload(request, templates.get(key)?.(object))
    },
  }
}
