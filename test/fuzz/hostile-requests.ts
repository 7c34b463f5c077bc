import { hostileObject, hostileValue, hostileWord } from './hostile-values.ts'
import type { SeededRandom } from '#runtime/process/seeded-random.fixture.ts'

/** A syntactically valid HTTP request with arbitrary content. */
export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** True if it can change objects when it succeeds. */
  readonly changes: boolean
}

interface Kind {
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
  /** Fields of an object of the kind besides its metadata. */
  readonly sample?: object
}

const labels = { app: 'fuzz' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nothing' }] } }

const kinds: readonly [Kind, ...Kind[]] = [
  {
    path: '/api/v1/namespaces/default/configmaps',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    sample: { data: { a: '1' }, binaryData: { b: 'eA==' } },
  },
  { path: '/api/v1/namespaces/default/pods', apiVersion: 'v1', kind: 'Pod', sample: { spec: template.spec } },
  { path: '/api/v1/namespaces/default/secrets', apiVersion: 'v1', kind: 'Secret', sample: { stringData: { a: '1' }, type: 'Opaque' } },
  {
    path: '/api/v1/namespaces/default/services',
    apiVersion: 'v1',
    kind: 'Service',
    sample: { spec: { selector: labels, ports: [{ port: 80 }] } },
  },
  { path: '/api/v1/namespaces/default/serviceaccounts', apiVersion: 'v1', kind: 'ServiceAccount', sample: { secrets: [{ name: 'x' }] } },
  {
    path: '/api/v1/nodes',
    apiVersion: 'v1',
    kind: 'Node',
    sample: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] }, status: { capacity: { cpu: '1' } } },
  },
  {
    path: '/apis/apps/v1/namespaces/default/deployments',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    sample: { spec: { replicas: 1, selector: { matchLabels: labels }, template } },
  },
  {
    path: '/apis/apps/v1/namespaces/default/daemonsets',
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    sample: { spec: { selector: { matchLabels: labels }, template } },
  },
  {
    path: '/apis/batch/v1/namespaces/default/jobs',
    apiVersion: 'batch/v1',
    kind: 'Job',
    sample: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
  },
  {
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    sample: { spec: { minAvailable: '50%', selector: { matchLabels: labels } } },
  },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    sample: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  },
  {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
  },
  {
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
  },
  { path: '/apis/apiregistration.k8s.io/v1/apiservices', apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
  {
    path: '/apis/fuzz.example/v1/namespaces/default/fuzzed',
    apiVersion: 'fuzz.example/v1',
    kind: 'Fuzzed',
    sample: { spec: { set: ['a'], keyed: [{ name: 'a', value: 'b' }], text: 'aaa', words: ['x'], open: { a: [1] }, count: 3 } },
  },
  {
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
  },
]

const parameters = [
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'watch',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'labelSelector',
  'fieldSelector',
  'timeoutSeconds',
  'gracePeriodSeconds',
  'propagationPolicy',
  'pretty',
  'includeObject',
] as const
const settings = [
  '',
  'All',
  'true',
  '1',
  '0',
  '-1',
  '99999999999999999999',
  'Exact',
  'NotOlderThan',
  'a=b',
  'a%20in%20(',
  'metadata.name=x',
  '%',
  'eyJ2Ijo',
] as const
const subresources = [
  '',
  '',
  '',
  '',
  '/status',
  '/scale',
  '/eviction',
  '/binding',
  '/exec',
  '/log',
  '/token',
  '/finalize',
  '/ephemeralcontainers',
  '/nothing/at/all',
] as const
const accepts = [
  'application/json',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf',
  'text/html, */*;q=0.8',
  ';;;=,,',
] as const
const types = [
  'application/json',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'text/plain',
  '',
] as const
const patchTypes = [
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
] as const
const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Collections that only requests change. Excludes definitions, APIServices and roles, whose
 * controllers write at any time.
 */
export const quietCollections: readonly string[] = kinds
  .filter(({ sample, kind }) => sample !== undefined && kind !== 'ClusterRole')
  .map(({ path }) => path)

/** Returns valid requests that create the objects which hostile requests target. */
export function sampleRequests(): readonly FuzzRequest[] {
  return kinds
    .filter(({ sample }) => sample !== undefined)
    .flatMap(({ path, apiVersion, kind, sample }) =>
      Array.from({ length: 10 }, (_, index) => ({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ apiVersion, kind, metadata: { name: `fuzz-${index}`, labels }, ...sample })),
        changes: true,
      })),
    )
}

/**
 * Returns a random request. It never watches for long, and never deletes a namespace's collections.
 */
export function hostileRequest(random: SeededRandom): FuzzRequest {
  const kind = random.pick(kinds)
  const method = random.pick(['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'])
  const query = queryOf(random)
  const body = method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : bodyOf(random, kind)
  return {
    method,
    path: `${pathOf(random, kind, method)}${query}`,
    headers: headersOf(random, method),
    body,
    changes: changing.has(method) && !/[?&]dryRun=All(?:&|$)/.test(query),
  }
}

function pathOf(random: SeededRandom, kind: Kind, method: string): string {
  if (random.chance(0.05)) {
    const segments = Array.from({ length: random.below(8) }, () => encodeURIComponent(hostileWord(random)))
    return `/${random.pick(['api', 'apis', 'openapi', 'version', 'healthz', 'metrics', 'nothing'])}/${segments.join('/')}`
  }
  const collection = method === 'POST' ? random.chance(0.8) : random.chance(0.1) && method !== 'DELETE'
  if (collection) return kind.path
  const name = random.chance(0.9) ? `fuzz-${random.below(20)}` : encodeURIComponent(hostileWord(random) || 'x')
  return `${kind.path}/${name}${random.pick(subresources)}`
}

function queryOf(random: SeededRandom): string {
  const parts = Array.from(
    { length: random.chance(0.4) ? random.below(4) : 0 },
    () => `${random.pick(parameters)}=${random.pick(settings)}`,
  )
  // A watch must end by itself, and of two parameters of one name the first counts.
  if (parts.some((part) => part.startsWith('watch='))) parts.unshift('timeoutSeconds=1')
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/**
 * Returns a content type that usually matches the method, so that requests pass the first checks.
 */
function typeFor(random: SeededRandom, method: string): string {
  if (random.chance(0.2)) return random.pick(types)
  return method === 'PATCH' ? random.pick(patchTypes) : 'application/json'
}

function headersOf(random: SeededRandom, method: string): Record<string, string> {
  const headers: Record<string, string> = {}
  if (random.chance(0.9)) headers['content-type'] = typeFor(random, method)
  if (random.chance(0.3)) headers['accept'] = random.pick(accepts)
  if (random.chance(0.05)) headers['authorization'] = random.pick(['Bearer x', 'Bearer a.b.c', 'Basic eA==', 'Bearer ', 'x'])
  if (random.chance(0.05)) headers['impersonate-user'] = random.pick(['nobody', 'system:serviceaccount:a:b', ''])
  if (random.chance(0.03)) headers['impersonate-group'] = 'system:masters'
  if (random.chance(0.03)) headers['audit-id'] = 'x'.repeat(random.below(2000))
  if (random.chance(0.03)) headers['x-remote-user'] = 'system:admin'
  if (random.chance(0.03)) headers['if-none-match'] = '"x"'
  return headers
}

/** Returns a valid object with one part replaced. */
function nearlyRight(random: SeededRandom, { apiVersion, kind, sample = {} }: Kind): unknown {
  const object = {
    apiVersion,
    kind,
    metadata: { name: `fuzz-${random.below(20)}`, labels, annotations: { a: 'b' } },
    ...structuredClone(sample),
  }
  if (random.chance(0.3)) return object
  let place: Record<string, unknown> = object
  for (;;) {
    const keys = Object.keys(place)
    const key = keys[random.below(keys.length)]
    if (key === undefined) return object
    const next = place[key]
    if (typeof next === 'object' && next !== null && random.chance(0.7)) place = next as Record<string, unknown>
    else {
      if (random.chance(0.2)) delete place[key]
      else place[key] = hostileValue(random, 1)
      return object
    }
  }
}

function bodyOf(random: SeededRandom, of: Kind): Buffer {
  const { apiVersion, kind } = of
  if (random.chance(0.05)) return Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)))
  const value = random.chance(0.5)
    ? nearlyRight(random, of)
    : random.chance(0.7)
      ? hostileObject(random, apiVersion, kind)
      : random.chance(0.5)
        ? hostileValue(random)
        : Array.from({ length: random.below(5) }, () => ({
            op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'break']),
            path: random.pick(['/metadata/name', '/spec', '/spec/a', '/data/x', '', '/', '/metadata/labels/~1', '/-']),
            from: random.pick(['/metadata', '/spec', '/data']),
            value: hostileValue(random, 1),
          }))
  const text = Buffer.from(JSON.stringify(value) ?? '')
  if (random.chance(0.1)) return text.subarray(0, random.below(text.length + 1))
  if (random.chance(0.05) && text.length > 0) {
    const broken = Buffer.from(text)
    broken[random.below(broken.length)] = random.below(256)
    return broken
  }
  if (random.chance(0.05)) return Buffer.concat([Buffer.from('k8s\0'), text])
  return text
}
