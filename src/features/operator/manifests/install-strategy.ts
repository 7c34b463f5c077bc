import type { Platform } from '#runtime/process/platform.ts'
import { managedLabels } from '#api/access/managed.ts'
import { createHash } from 'node:crypto'
import type { DaemonSet } from '#api/apps/v1/daemon-set.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { Affinity } from '#api/core/v1/affinity.ts'
import type { Container, EnvVar, SecurityContext } from '#api/core/v1/container.ts'
import type { PodSpec, PodTemplateSpec } from '#api/core/v1/pod.ts'
import type { Service } from '#api/core/v1/service.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { customized, customizedWorkload, type ComponentRole } from './customize.ts'
import { hostAccessOf } from './handler-host-access.ts'
import type { PatchUnusable } from './customize-patches.ts'
import type { InfraSettings } from './infra-settings.ts'

/** Version, registry and location of an installation. */
export interface Target {
  readonly version: string
  readonly registry: string
  readonly namespace: string
  readonly platform: Platform
}

/** All objects of one version. */
export interface InstallStrategy {
  /** Hash that identifies this strategy. */
  readonly identifier: string
  readonly service: Service
  /** Leads Ingresses of exports to virt-api. */
  readonly exportService: Service
  /** Leads Prometheus to the metrics of all components. */
  readonly metricsService: Service
  readonly agent: DaemonSet
  readonly controller: Deployment
  readonly api: Deployment
  /** Customize patches that cannot be applied and are skipped. */
  readonly problems: readonly PatchUnusable[]
}

/** Names of the components and of their objects. */
export const componentNames = { agent: 'virt-handler', controller: 'virt-controller', api: 'virt-api' } as const

/**
 * KubeVirt's name of the Service that Ingresses and Routes of exports name. virt-api serves it
 * here.
 */
export const exportProxyService = 'virt-exportproxy'
/** KubeVirt's name of the Service by which Prometheus finds the components. */
export const metricsService = 'kubevirt-prometheus-metrics'
/** Names of all workloads and Services of a version. */
export const installedNames: readonly string[] = [...Object.values(componentNames), exportProxyService, metricsService]
/** KubeVirt's label of pods that serve metrics, of their Service, and of what is for Prometheus. */
export const monitoringLabel = { 'prometheus.kubevirt.io': 'true' } as const
/** Name of the port that serves metrics. */
export const metricsPort = 'metrics'
/** KubeVirt's annotations of objects that the operator installed. */
export const releaseAnnotations = {
  version: 'kubevirt.io/install-strategy-version',
  registry: 'kubevirt.io/install-strategy-registry',
  identifier: 'kubevirt.io/install-strategy-identifier',
} as const
const healthPort = 8444
/** HTTPS: webhooks of virt-api, health and metrics of all. */
const servingPort = 8443

/**
 * Renders the objects of a version. Pure: the same target and settings give the same objects in
 * every operator.
 */
export function installStrategyOf(target: Target, settings: InfraSettings): InstallStrategy {
  const plain = plainStrategyOf(target, settings.apiServers)
  const problems: PatchUnusable[] = []
  const onUnusable = (problem: PatchUnusable): void => void problems.push(problem)
  const workload = <T extends DaemonSet | Deployment>(object: T, role: ComponentRole): T =>
    customizedWorkload(object, role, settings, onUnusable)
  return {
    identifier: plain.identifier,
    service: customized(plain.service, settings, onUnusable),
    exportService: customized(plain.exportService, settings, onUnusable),
    metricsService: customized(plain.metricsService, settings, onUnusable),
    agent: workload(plain.agent, { placement: 'workloads', flags: 'handler' }),
    controller: workload(plain.controller, { placement: 'infra', flags: 'controller' }),
    api: workload(plain.api, { placement: 'infra', flags: 'api' }),
    problems,
  }
}

export function objectsOf(strategy: InstallStrategy): readonly KubeObject[] {
  const { service, exportService, metricsService: ofMetrics, agent, controller, api } = strategy
  return [service, agent, controller, api, exportService, ofMetrics]
}

/** Starts a new pod before an old one ends. */
const gradual: Deployment['spec']['strategy'] = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }

function plainStrategyOf(target: Target, apiServers: number): Omit<InstallStrategy, 'problems'> {
  const identifier = createHash('sha1').update(JSON.stringify(target)).digest('hex')
  const annotations = {
    [releaseAnnotations.version]: target.version,
    [releaseAnnotations.registry]: target.registry,
    [releaseAnnotations.identifier]: identifier,
  }
  const metadata = (name: string): object => ({
    name,
    namespace: target.namespace,
    labels: { ...managedLabels, 'kubevirt.io': name, 'app.kubernetes.io/version': target.version },
    annotations,
  })
  const template = (name: string, more: readonly string[] = []): PodTemplateSpec => podTemplate(target, annotations, name, more)
  const deployment = (name: string, replicas: number, strategy: Deployment['spec']['strategy']): Deployment =>
    ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata(name),
      spec: {
        replicas,
        revisionHistoryLimit: 3,
        selector: { matchLabels: { 'kubevirt.io': name } },
        strategy,
        template: template(name),
      },
    }) as Deployment
  const { agent, controller, api } = componentNames
  const apiService = (name: string): Service =>
    ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(name),
      spec: { selector: { 'kubevirt.io': api }, ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: servingPort }] },
    }) as Service
  // One machine has no other node that a second controller would be useful on.
  const controllers = target.platform.runsContainers === true ? Math.min(apiServers, 2) : 1
  return {
    identifier,
    service: apiService(api),
    exportService: apiService(exportProxyService),
    metricsService: metricsServiceOf(metadata(metricsService)),
    agent: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: metadata(agent),
      spec: {
        revisionHistoryLimit: 3,
        selector: { matchLabels: { 'kubevirt.io': agent } },
        // The operator deletes the pods itself: a canary first, and without waiting for broken
        // nodes.
        updateStrategy: { type: 'OnDelete' },
        template: template(agent, ['--node=$(NODE_NAME)']),
      },
    } as DaemonSet,
    // Of several, one leads and the others stand by. A single one ends before its successor starts,
    // which would wait for its lease.
    controller: controllers > 1 ? deployment(controller, controllers, gradual) : deployment(controller, 1, { type: 'Recreate' }),
    api: deployment(api, apiServers, gradual),
  }
}

/** Without an address of its own: each pod is asked. */
function metricsServiceOf(metadata: object): Service {
  const { labels, ...others } = metadata as Service['metadata']
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...others, labels: { ...labels, ...monitoringLabel } },
    spec: {
      clusterIP: 'None',
      selector: monitoringLabel,
      ports: [{ name: metricsPort, port: 443, protocol: 'TCP', targetPort: metricsPort }],
    },
  } as Service
}

function podTemplate(
  { version, registry, namespace, platform }: Target,
  annotations: Readonly<Record<string, string>>,
  name: string,
  more: readonly string[],
): PodTemplateSpec {
  const probe = { httpGet: { scheme: 'HTTP', path: '/readyz', port: healthPort } }
  const isAgent = name === componentNames.agent
  const parts = hostAccessOf(name, namespace, platform)
  const identity = platform.runsContainers === true ? containedIdentity(name) : { spec: { automountServiceAccountToken: false } }
  const args = [
    ...(platform.args[name] ?? []),
    ...parts.args,
    '--address=$(POD_IP)',
    `--port=${servingPort}`,
    `--health-port=${healthPort}`,
    ...more,
  ]
  return {
    metadata: {
      labels: { ...managedLabels, ...monitoringLabel, 'kubevirt.io': name, 'app.kubernetes.io/version': version },
      annotations: { ...annotations, ...platform.annotations },
    },
    spec: {
      ...identity.spec,
      priorityClassName: isAgent ? 'system-node-critical' : 'system-cluster-critical',
      terminationGracePeriodSeconds: 10,
      // Guests tolerate every taint, and so must their node agent.
      tolerations: isAgent ? [{ operator: 'Exists' }] : [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
      ...(isAgent ? {} : { affinity: { ...preferring(platform.controlPlaneNode), ...apart(name) } }),
      containers: [
        {
          name,
          image: `${registry}/${name}:${version}`,
          args,
          ports: [{ name: metricsPort, containerPort: servingPort, protocol: 'TCP' }],
          env: [
            fieldVariable('NODE_NAME', 'spec.nodeName'),
            fieldVariable('POD_IP', 'status.podIP'),
            fieldVariable('POD_NAME', 'metadata.name'),
            { name: 'LAUNCHER_IMAGE', value: `${registry}/virt-launcher:${version}` },
            ...(name === componentNames.controller
              ? [
                  { name: 'IMPORTER_IMAGE', value: `${registry}/virt-importer:${version}` },
                  { name: 'EXPORT_SERVER_IMAGE', value: `${registry}/virt-exportserver:${version}` },
                ]
              : []),
            ...Object.entries(platform.environment).map(([variable, value]) => ({ name: variable, value })),
          ],
          // Connections that were routed to this pod before it left the endpoints are still
          // answered.
          ...(name === componentNames.api ? { lifecycle: { preStop: { sleep: { seconds: 1 } } } } : {}),
          ...identity.container,
          ...parts.container,
          // A start that is short of CPU time takes long, and one that is killed begins again.
          startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 120, timeoutSeconds: 2 },
          readinessProbe: { ...probe, periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 5 },
        },
      ],
      ...parts.spec,
    },
  } as PodTemplateSpec
}

interface PodIdentity {
  readonly spec: Pick<PodSpec, 'serviceAccountName' | 'automountServiceAccountToken' | 'securityContext'>
  readonly container?: Pick<Container, 'resources' | 'securityContext'>
}

/** Account, requests and, except for the node agent, restrictions of a component in a container. */
function containedIdentity(name: string): PodIdentity {
  const account = { serviceAccountName: name }
  const resources = { requests: { ...requests[name] } }
  if (name === componentNames.agent) return { spec: account, container: { resources } }
  return { spec: { ...account, securityContext: restrictedPod }, container: { resources, securityContext: restrictedContainer } }
}

/** Returns an environment variable with the value of a field of the pod. */
export function fieldVariable(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } }
}

/** Meets the pod security standard `restricted`. */
export const restrictedPod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } as const
export const restrictedContainer: SecurityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
}

/**
 * Requests of a component's container on a cluster. Memory: measured, idle. CPU: the share that a
 * component has to get where guests take all the rest, so that it keeps its lease and answers: with
 * the 10m that suffice when idle, 100 guests that boot stop virt-controller.
 */
const requests: Readonly<Record<string, { readonly cpu: string; readonly memory: string }>> = {
  [componentNames.api]: { cpu: '100m', memory: '150Mi' },
  [componentNames.controller]: { cpu: '200m', memory: '200Mi' },
  [componentNames.agent]: { cpu: '100m', memory: '150Mi' },
}

const hostname = 'kubernetes.io/hostname'

/**
 * Prefers a node, and allows others while that one is drained. Anti-affinity has a higher weight.
 */
function preferring(node: string): Affinity {
  if (node === '') return {}
  const matchExpressions = [{ key: hostname, operator: 'In', values: [node] }]
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 99, preference: { matchExpressions } }] } }
}

/**
 * Spreads replicas of one template across nodes. Replicas of the previous template do not count, or
 * each new version would avoid the nodes of the old one.
 */
function apart(name: string): Affinity {
  const podAffinityTerm = {
    topologyKey: hostname,
    labelSelector: { matchLabels: { 'kubevirt.io': name } },
    matchLabelKeys: ['pod-template-hash'],
  }
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] } }
}
