import type { HealthCheck } from './health.ts'

/**
 * Parts of kube-apiserver whose counterparts have started before this server listens, so that
 * their checks pass from the first answer on. Probes, dashboards and Kubernetes' end-to-end tests
 * ask for these names. A part that this server lacks has no check here.
 */
const started: readonly string[] = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'scheduling/bootstrap-system-priority-classes',
  'bootstrap-controller',
]

/** Further parts of a server with aggregation. */
const aggregation: readonly string[] = [
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
]

/** What the checks look at. */
export interface HealthSources {
  /** Returns why storage refuses writes. */
  readonly storageProblem: () => string | undefined
  readonly isStopping: () => boolean
  readonly aggregates: boolean
  /** Checks of the writes that a start needs. */
  readonly startup: readonly HealthCheck[]
  /** Checks that the process adds. */
  readonly more: readonly HealthCheck[]
}

/** Checks of the three endpoints. */
export interface HealthChecks {
  readonly healthz: readonly HealthCheck[]
  readonly livez: readonly HealthCheck[]
  readonly readyz: readonly HealthCheck[]
}

const passing = (name: string): HealthCheck => ({ name, problem: () => undefined })

/**
 * Collects the checks. `etcd` says that objects can be read, which holds while the server answers;
 * `storage`, that they can also be written. A restart does not free a disk, so liveness does not
 * depend on writes.
 */
export function healthChecks({ storageProblem, isStopping, aggregates, startup, more }: HealthSources): HealthChecks {
  const basic = ['ping', 'log', 'etcd'].map(passing)
  const own = new Set(startup.map(({ name }) => name))
  const hooks = [...started, ...(aggregates ? aggregation : [])].map((name) => `poststarthook/${name}`)
  const completed = [...hooks.filter((name) => !own.has(name)), ...(aggregates ? ['autoregister-completion'] : [])].map(passing)
  const storage: HealthCheck = { name: 'storage', problem: storageProblem }
  const writing = [storage, ...startup, ...more]
  const shutdown: HealthCheck = { name: 'shutdown', problem: () => (isStopping() ? 'process is shutting down' : undefined) }
  return {
    healthz: [...basic, ...completed, ...writing],
    livez: [...basic, ...completed],
    readyz: [...basic, passing('etcd-readiness'), passing('informer-sync'), ...completed, ...writing, shutdown],
  }
}
